// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/call_causes.hpp"
#include "analysis/match/meetings.hpp"
#include "analysis/model.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

/// @file
/// What held up the programs of ranks.

namespace deed::viewer {

/// A wait of a program that ended because of a task, of a transfer, or of the last rank that came
/// to a meeting.
struct held_up {
  std::uint32_t task = none;
  std::uint32_t transfer = none;
  int awaited = -1;            ///< The rank that came last.
  std::int64_t cause = never;  ///< When that was.
  std::int64_t end = never;    ///< Of the wait.
  /// Of a `borrow`, for which nothing of that is known: the datum. It was `awaited` by its rank
  /// since it began.
  std::uint32_t borrowed = none;
  bool by_clocks = false;  ///< It compared its clock with those of others: `awaited` as a `borrow`.
  place_in_call call{};    ///< Of a `borrow` of what a collective call writes.
};

/// Of each rank, what held up its program, from the last of its waits back to the first.
class program_waits {
 public:
  program_waits(const model& of, const call_causes& calls);
  /// The last one on a rank before a moment; nothing: none was. Asked backwards in time only: of a
  /// rank, each wait is found once.
  [[nodiscard]] std::optional<held_up> before(int rank, std::int64_t moment);

  /// Whether a program is in a wait at a moment, which goes on.
  [[nodiscard]] bool keeps(int rank, std::int64_t moment) const;

  /// Why one for tasks or transfers did not end at once; nothing: it did, or that is not known.
  [[nodiscard]] std::optional<held_up> why(const wait_span& wait, int rank);

 private:
  /// What ended when. It is sorted when it is asked for: a path leads through the waits of few
  /// ranks.
  class by_time {
   public:
    void add(std::int64_t ended, std::uint32_t what) { all_.emplace_back(ended, what); }
    /// The last one until a moment, and when; `none`: there was none.
    [[nodiscard]] std::pair<std::int64_t, std::uint32_t> last(std::int64_t until);

   private:
    std::vector<std::pair<std::int64_t, std::uint32_t>> all_;
    bool is_sorted_ = false;
  };

  [[nodiscard]] std::optional<held_up> wait_before(int rank, std::int64_t moment);
  [[nodiscard]] std::optional<held_up> by_message(const wait_span& wait, int rank) const;
  [[nodiscard]] std::optional<held_up> in_borrow(const wait_span& wait, int rank) const;
  [[nodiscard]] std::optional<held_up> in_call(const wait_span& wait, std::int64_t behind) const;
  [[nodiscard]] std::uint32_t last_transfer(const wait_span& wait, int rank,
                                            std::int64_t tasks_ended);
  [[nodiscard]] std::uint32_t last_task(const wait_span& wait);
  [[nodiscard]] std::uint32_t last_writer(int rank, std::uint32_t handle, std::int64_t until);
  [[nodiscard]] std::optional<held_up> in_reduction(const wait_span& wait, int rank,
                                                    std::int64_t behind) const;

  const model& of_;
  const call_causes& calls_;
  const meetings& meetings_;
  std::map<int, std::size_t> met_;                        // Of a rank, so many are left.
  std::map<int, std::vector<const wait_span*>> of_rank_;  // By their begin.
  std::map<int, std::size_t> left_;                       // The same; so many are left.
  by_time ends_;                                          // Of tasks.
  std::map<int, by_time> ends_of_rank_;                   // The same.
  std::map<int, by_time> moved_;                          // Of transfers, on either side.
  // Of what each rank has one of, the tasks that write it: by rank and datum.
  std::map<std::pair<int, std::uint32_t>, by_time> written_;
};

}  // namespace deed::viewer
