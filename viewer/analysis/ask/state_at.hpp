// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <utility>
#include <vector>

/// @file
/// Who owns and holds a datum at a moment: a function of the time, not of what was played before.

namespace deed::viewer {

/// The copy of a datum on one rank.
enum class copy_kind : std::uint8_t { absent, stale, pending, shared, owner };

struct copy_at {
  copy_kind kind = copy_kind::absent;
  std::uint32_t version = 0;
};

struct live_borrow {
  int rank = 0;
  std::uint8_t kind = 0;
  std::uint64_t holder = 0;
  std::uint32_t loc = none;
  std::int64_t since = 0;
};

struct datum_state {
  std::uint32_t owner = none;  ///< `none`: before its registration, or per rank.
  std::uint32_t version = 0;
  std::uint32_t writer = none;  ///< The task that wrote it; `none`: nobody that was recorded.
  std::vector<copy_at> copies;  ///< By rank.
  std::vector<std::uint32_t> in_flight;  ///< Transfers.
  std::vector<live_borrow> borrows;
};

/// The states of one datum from the start of the run on; goes forward only.
///
/// Keeps: a reference to the model.
/// Cost: O(events of this handle) for all steps together; a look, O(ranks + what is under way).
class datum_walk {
 public:
  datum_walk(const model& of, std::uint32_t handle);
  /// To `when`, which is not before the last one.
  void advance(std::int64_t when);
  /// `in_flight`: with the transfers that are on their way.
  [[nodiscard]] datum_state state(bool in_flight = true) const;
  /// How many of the datum's events it has looked at.
  [[nodiscard]] std::size_t seen() const noexcept { return next_event_; }

 private:
  struct held {
    bool here = false;
    std::uint32_t version = 0;
  };
  void hold(std::uint64_t rank, std::uint32_t version);
  void apply_writes(std::int64_t until);
  void follow_transfers();
  void apply(const event& e);

  const model& of_;
  const std::uint32_t handle_;
  std::int64_t now_ = never;
  std::size_t next_event_ = 0;
  std::size_t next_write_ = 0;
  std::size_t next_transfer_ = 0;
  std::vector<held> copies_;
  std::vector<std::uint32_t> under_way_;  // Transfers, by when they began.
  datum_state state_;                     // Without what these two say.
};

/// The states of one datum at any moments, in any order: it keeps a walk every few hundred events.
///
/// Keeps: a reference to the model.
/// Cost: O(events of this handle) at the first look, then O(ranks); a kept walk takes 200 bytes and
/// 8 per rank.
class datum_seeker {
 public:
  datum_seeker(const model& of, std::uint32_t handle) : of_(of), handle_(handle) {}
  [[nodiscard]] datum_state at(std::int64_t when);

 private:
  void keep();

  const model& of_;
  const std::uint32_t handle_;
  std::vector<std::pair<std::int64_t, datum_walk>> kept_;  // By time.
};

/// Cost: O(events of this handle).
[[nodiscard]] datum_state state_at(const model& of, std::uint32_t handle, std::int64_t when);

}  // namespace deed::viewer
