// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/match/shared_rows.hpp"
#include "analysis/model.hpp"
#include "analysis/store/flat_index.hpp"
#include "analysis/store/number_index.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// Transfers from what both of their ends recorded.

namespace deed::viewer {

/// What one record says of a transfer.
struct move {
  std::int64_t time = 0;
  std::uint64_t bytes = 0;
  std::uint64_t tag = 0;
  std::uint64_t for_task = 0;  ///< Of a post alone.
  std::uint32_t event = none;
  std::uint32_t handle = 0;
  std::uint32_t version = 0;
  std::uint32_t peer = 0;
  std::uint32_t seq = 0;
  std::uint32_t group = 0;  ///< Of a post of an explicit message.
  record what = record::unknown;
  std::uint8_t reason = 0;      ///< Of a post alone.
  bool sends = false;           ///< By whoever recorded it.
  bool of_the_program = false;  ///< A post of an explicit message.
};

[[nodiscard]] constexpr bool is_move(record what) {
  return what == record::xfer_post || what == record::xfer_start || what == record::xfer_done;
}
[[nodiscard]] move read_move(const run& of, const event& e, std::uint32_t index);

/// The transfers between some pairs of ranks: whatever names one of them is read here.
class pair_moves {
 public:
  /// `all`: the transfers of all pairs.
  explicit pair_moves(std::vector<transfer>& all) : transfers(all) {}
  /// In the order of time.
  void read(const move& m, std::uint32_t rank);

  shared_rows<transfer> transfers;  ///< What was found.

 private:
  struct transfer_key {
    std::uint32_t handle = 0, version = 0, src = 0, dst = 0, seq = 0;
    [[nodiscard]] std::size_t hash() const noexcept;
    friend bool operator==(const transfer_key&, const transfer_key&) = default;
  };
  /// An explicit message: its two ends name different data. Also what one rank calls it: then with
  /// the handle and the version, without the other rank.
  struct message_key {
    std::uint64_t tag = 0;
    std::uint32_t src = 0, dst = 0, seq = 0, handle = none, version = 0;
    std::uint32_t lap = 0;  ///< So many with this number came before: it has 16 bits.
    std::uint32_t group = 0;
    friend bool operator==(const message_key&, const message_key&) = default;
  };
  struct message_hash {
    std::size_t operator()(const message_key& key) const noexcept;
  };

  [[nodiscard]] static message_key name_on(const move& m, std::uint32_t rank);
  [[nodiscard]] std::uint32_t lap_of(message_key key, bool sends);
  std::uint32_t place_of(const move& m, std::uint32_t rank);
  std::uint32_t message_at(const move& m, std::uint32_t rank);
  [[nodiscard]] bool has_key(std::uint32_t place, const transfer_key& key) const;
  std::uint32_t keyed(const transfer_key& key, std::uint32_t event);
  void make(const transfer_key& key, std::uint32_t event);

  number_index by_key_;
  // By a part of the hash, who was named last: what is said of one transfer is said soon.
  std::vector<std::uint32_t> recent_ = std::vector<std::uint32_t>(512, none);
  flat_index<message_key, message_hash> by_message_;
  flat_index<message_key, message_hash> posted_;  // Messages, as one rank calls them.
  flat_index<message_key, message_hash> laps_;    // Of one end, where there are several.
};

}  // namespace deed::viewer
