// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

/// @file
/// When takes effect what a program asked for. A record says when a program came to a call, which
/// may be long before its tasks do, and on each rank is at another time.

namespace deed::viewer {

/// The time of what was called for and did not happen while it was recorded.
inline constexpr std::int64_t after_all = std::numeric_limits<std::int64_t>::max();

/// The end of a copy on one rank.
struct copy_end {
  std::uint32_t event = none;  ///< The `cache_drop`, or the `handle_unregister`.
  std::uint32_t rank = 0;
  std::uint32_t version = 0;      ///< `none`: of whatever version it is.
  std::int64_t time = after_all;  ///< `after_all`: a task that uses it has no end.
};

/// A migration of a datum: the new owner owns it when it has come to the call, and has the value.
struct owner_move {
  std::uint32_t from = 0, to = 0, version = 0;
  std::vector<std::uint32_t> events{};  ///< The records of all ranks, in time order.
  std::int64_t asked = never;           ///< When the first of them came to it.
  std::int64_t time = after_all;        ///< `after_all`: it was not done.
};

/// What programs asked for one datum.
///
/// Keeps: a reference to the model.
/// Cost: O(n log n) to make, n the events of the datum; of a drop, O(events since the one before).
class effects {
 public:
  effects(const model& of, std::uint32_t handle);
  /// Of the `cache_drop` at this place among the events of the datum: the copy is there until it
  /// has arrived, and every task of its rank that was submitted before and uses it has ended. None
  /// where the same version has come again by then: the rank goes on having it.
  [[nodiscard]] std::optional<copy_end> of_drop(std::size_t place) const;
  /// Of the `handle_unregister` at this place: the last task of its rank that uses the datum, and
  /// what was to be sent or received, end before the copy does.
  [[nodiscard]] copy_end of_unregister(std::size_t place) const;
  /// In the order of the program, which is that of their times.
  [[nodiscard]] const std::vector<owner_move>& moves() const noexcept { return moves_; }

 private:
  struct fetched {
    int rank = 0;
    std::int64_t asked = never;
    std::uint32_t version = 0;
    std::uint16_t seq = 0;
    std::int64_t arrived = never;
    bool moves = false;  // For a migration.
  };
  [[nodiscard]] std::int64_t last_use(std::size_t place, int rank, std::uint32_t version) const;
  void count_asked();
  void find_last_uses();
  void use(int rank, std::int64_t until);
  void find_moves();
  [[nodiscard]] int teller(const owner_move& of) const;
  [[nodiscard]] std::int64_t done(const owner_move& of, std::int64_t told) const;

  const model& of_;
  const std::uint32_t handle_;
  std::vector<fetched> fetches_;  // By rank, then by when the program asked for it.
  // Of drops, by place: what their rank had asked for before, at the same time. The time of virtual
  // ranks stands still while a program inserts.
  std::map<std::size_t, std::ptrdiff_t> asked_then_;
  std::vector<owner_move> moves_;
  std::vector<std::int64_t> last_use_;  // By rank, of data that end.
};

}  // namespace deed::viewer
