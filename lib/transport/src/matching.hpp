// SPDX-License-Identifier: MIT
#pragma once

#include <deed/transport/detail/header.hpp>
#include <deed/transport/transfer.hpp>

#include "operation_list.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/// @file
/// Who waits for what: expected receives and transfers that arrived before theirs.

namespace deed::transport::detail {

/// A transfer that came before its receive: announced, copied out of its frame, or (to itself) a
/// send of this rank.
struct arrival {
  arrival* next = nullptr;
  header head;
  int peer = 0;
  send_operation* own = nullptr;  // A send of this rank to itself, if it keeps its source.
  std::uint64_t checksum = 0;
  std::size_t bytes = 0;  // Copied here.
  std::unique_ptr<std::byte[]> large;
  std::array<std::byte, 128> small;

  [[nodiscard]] const std::byte* data() const noexcept {
    return large ? large.get() : small.data();
  }
  /// Room for `size` bytes. Large room is kept for the next use.
  std::byte* room(std::size_t size);

 private:
  std::size_t large_bytes_ = 0;
  std::unique_ptr<std::byte[]> spare_;
};

/// Arrivals, used again and again.
class arrival_pool {
 public:
  [[nodiscard]] arrival* take();
  void give_back(arrival* used) noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t most_bytes() const noexcept { return most_; }
  void count(std::size_t copied) noexcept;

 private:
  std::vector<std::unique_ptr<arrival>> all_;
  arrival* free_ = nullptr;
  std::size_t bytes_ = 0, most_ = 0;
};

/// All that waits under one name: (kind, peer, tag).
struct lane {
  lane* next_free = nullptr;
  transfer_kind kind = transfer_kind::message;
  int peer = 0;
  std::uint64_t tag = 0;
  operation_list expected;
  arrival* first = nullptr;  // Arrivals, oldest first.
  arrival* last = nullptr;

  void push(arrival& came) noexcept;
  /// The oldest with this version, taken out; null if none.
  arrival* take(std::uint64_t version) noexcept;
  /// The oldest with an older version, taken out; null if none.
  arrival* take_older(std::uint64_t version) noexcept;
  /// The oldest receive of this version, taken out; null if none.
  operation_state* take_expected(std::uint64_t version) noexcept;
  /// Whether a receive of a datum waits for a newer version: one that is older then will never be
  /// asked for, as receives name rising versions. @note Receives that are done do not count.
  [[nodiscard]] bool is_past(std::uint64_t version) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return expected.empty() && first == nullptr; }
};

/// Lanes by name: open addressing, linear probing, deletion by shifting back.
/// Cost: O(1) expected; no allocation once as many lanes as now were in use before.
class lane_table {
 public:
  lane_table();
  [[nodiscard]] lane& at(transfer_kind kind, int peer, std::uint64_t tag);
  /// Forgets a lane if it is empty.
  void tidy(lane& used) noexcept;
  template <class F>
  void for_each(F f) const {
    for (lane* const at : slots_) {
      if (at != nullptr) f(*at);
    }
  }

 private:
  [[nodiscard]] std::size_t home(const lane& of) const noexcept;
  void grow();

  std::vector<lane*> slots_;
  std::vector<std::unique_ptr<lane>> all_;
  lane* free_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace deed::transport::detail
