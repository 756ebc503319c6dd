// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/match/numbered_calls.hpp"
#include "analysis/model.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

/// @file
/// What a collective call waited for.

namespace deed::viewer {

/// A call as one of its members made it.
struct place_in_call {
  std::uint32_t call = none;  ///< In `numbered_calls::all`; `none`: of no call.
  std::size_t member = 0;
};

/// Who came to a call last, and when what it gives was there.
struct last_to_come {
  place_in_call place;  ///< Of no call: not all of them are recorded.
  int rank = -1;
  std::int64_t at = never;
};

/// A program that stood in the `borrow` of what a call brings, or of what a task makes of that.
struct borrow_in_call {
  std::uint32_t wait = none;  ///< In `model::waits`.
  time_range time;            ///< Until it ended, or the task could run.
  place_in_call place;
};

/// What a member waited for to give its part. Which datum a call reads is not recorded: it is the
/// task of per-rank data that ended last before, or a call that had brought something by then.
struct before_part {
  std::uint32_t task = none;
  place_in_call call{};  ///< Neither: its program called then.
  std::int64_t at = never;
};

/// Cost: sorts calls, and the tasks that write per-rank data, once, where there are calls.
class call_causes {
 public:
  explicit call_causes(const model& of);
  /// The call whose result the program borrows in a wait, in `model::waits`.
  [[nodiscard]] place_in_call borrowed_in(std::uint32_t wait) const;
  /// The call that made a task ready, by what the task reads.
  [[nodiscard]] place_in_call that_released(const task& t) const;
  /// Of those that a member needs, itself among them.
  [[nodiscard]] last_to_come last_of(const place_in_call& place) const;
  [[nodiscard]] before_part before(const place_in_call& place) const;
  /// Of a rank, by their waits.
  [[nodiscard]] std::span<const borrow_in_call> borrows(int rank) const;
  /// The last call on per-rank data of which what a rank needs was there by a moment; of no call:
  /// there was none.
  [[nodiscard]] last_to_come last_until(int rank, std::int64_t moment) const;

 private:
  struct of_rank {
    std::vector<borrow_in_call> borrows;
    std::vector<std::pair<std::int64_t, place_in_call>> complete;  // On data, as they were.
  };
  void read_call(std::uint32_t call);
  void find_tasks();
  void find_insertions();
  [[nodiscard]] before_part task_before(int rank, const call_part& part) const;
  [[nodiscard]] before_part call_before(int rank, const call_part& part) const;
  [[nodiscard]] last_to_come find_last(const place_in_call& place) const;

  const model& of_;
  const numbered_calls& calls_;
  std::map<std::tuple<int, std::uint32_t, std::uint32_t>, place_in_call> brings_;  // Rank, version.
  std::unordered_map<std::uint32_t, place_in_call> waits_;
  std::vector<bool> on_data_;                                  // By call.
  std::unordered_map<std::uint32_t, std::uint64_t> inserted_;  // By call: so many tasks before it.
  std::vector<last_to_come> last_;  // The same: of those that none leaves before all have come.
  std::vector<of_rank> ranks_;
  std::map<int, std::vector<std::pair<std::int64_t, std::uint32_t>>> ended_;  // By rank.
};

}  // namespace deed::viewer
