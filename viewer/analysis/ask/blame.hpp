// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/program_stays.hpp"
#include "analysis/match/meetings.hpp"
#include "analysis/model.hpp"
#include "analysis/store/flat_index.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// @file
/// Which rank a thread waited for.

namespace deed::viewer {

/// A part of a span, and the rank that its thread waited for.
struct blamed_part {
  int rank = -1;
  time_range time;
};

/// Cost: sorts tasks and transfers once; then O(log n) for a span, and the meetings during it.
class blame {
 public:
  explicit blame(const model& of);
  /// The parts of a span of a thread without work that are blamed on a rank.
  [[nodiscard]] std::vector<blamed_part> parts_of(const state_span& s) const;

 private:
  /// A transfer to one rank, in the order of (handle, rank, begin).
  struct incoming {
    std::uint64_t to = 0;  // The rank above, the handle below.
    std::int64_t begin = 0;
    std::int64_t reach = 0;  // The latest end of those of this datum up to here; unended: for ever.
    std::int64_t end = never;
    std::uint32_t transfer = none;
    int src = 0;
    std::uint32_t version = 0;
  };

  struct way_hash {
    std::size_t operator()(std::uint64_t to) const noexcept { return mix(to); }
  };
  using moment = std::pair<std::int64_t, std::uint32_t>;  // With a task or a transfer.
  using by_time = std::vector<moment>;

  void find_tasks();
  void find_came();
  void find_incoming();
  [[nodiscard]] std::pair<std::size_t, std::size_t> way_of(std::uint64_t to) const;
  [[nodiscard]] int rank_of(const state_span& s) const;
  [[nodiscard]] std::vector<blamed_part> by_meetings(const state_span& s, int here) const;
  void find_held();
  [[nodiscard]] std::vector<blamed_part> by_last_receiver(time_range when, int here) const;
  [[nodiscard]] std::vector<blamed_part> by_receiver(time_range when, const transfer& x) const;
  [[nodiscard]] std::vector<blamed_part> by_sender(time_range when, const transfer& x) const;
  [[nodiscard]] std::vector<blamed_part> by_message(time_range when, std::uint32_t message,
                                                    int here) const;
  [[nodiscard]] std::vector<blamed_part> by_requests(time_range when, int here) const;
  [[nodiscard]] int by_next(const state_span& s) const;
  [[nodiscard]] int by_missing(const state_span& s, int here) const;
  [[nodiscard]] int by_last(const state_span& s, int here) const;
  [[nodiscard]] int by_handle(const state_span& s, std::uint32_t handle, int here) const;
  [[nodiscard]] std::uint32_t arrived(std::uint32_t handle, std::uint32_t version, int dst,
                                      std::int64_t until) const;

  const model& of_;
  const meetings& meetings_;
  const std::vector<std::vector<program_stay>> stays_;  // By rank.
  std::vector<by_time> tasks_;                          // By lane, as they began.
  std::vector<bool> works_;                             // By lane: it is there to run tasks.
  std::vector<by_time> came_;                           // By rank: transfers, as they were there.
  std::vector<std::vector<std::uint32_t>> missing_;  // By rank: never there; the first need first.
  std::vector<by_time> held_;                        // By rank: sends, as receivers asked for them.
  std::vector<incoming> incoming_;                   // Data one after the other.
  flat_index<std::uint64_t, way_hash> ways_;         // Numbers of ranks with a datum.
  std::vector<std::uint32_t> ends_of_ways_;          // In `incoming_`.
};

}  // namespace deed::viewer
