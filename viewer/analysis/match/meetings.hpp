// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/match/numbered_calls.hpp"
#include "analysis/model.hpp"

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

/// @file
/// Where programs stand until another is there: at barriers and in collective calls.

namespace deed::viewer {

struct hang;

/// A program that came to a meeting. At a barrier, and in a call in which each gives something to
/// each, all stand until the last is there; in a gather or a reduction the root does; in a scatter
/// the others stand until the root is there, in a broadcast until it and who passes it on are. In a
/// call that has a number a rank is there when what it gives is. Who borrows what such a call
/// writes stands in it, and so does who is in a `wait()` that never ends, of one that never does.
struct meeting_stay {
  time_range time;             ///< One that never left stays for ever.
  int awaited = -1;            ///< The rank for which it stood there; itself: it came last.
  std::int64_t since = 0;      ///< When that came.
  std::uint32_t event = none;  ///< With which the program came.
  std::uint32_t call = none;   ///< In `meetings::calls`, of a call that has a number.
  std::uint32_t member = 0;    ///< There, which one it is.
};

/// A program that came to a meeting to which not all have come when the recording ends.
struct unfinished_meeting {
  int rank = -1;
  std::int64_t since = 0;
  std::uint32_t event = none;  ///< With which it came.
  std::vector<int> missing;    ///< The ranks that have not come; one at least.
  std::uint32_t call = none;   ///< As of a stay.
};

/// Cost: sorts the waits of each rank once, and looks once at each part of a call that joins all;
/// of one that never ends, at who is missing for each who stands there.
class meetings {
 public:
  explicit meetings(const model& of);
  /// Of a rank, as they took place.
  [[nodiscard]] std::span<const meeting_stay> of_rank(int rank) const;
  /// The ranks for which a rank stands there at a moment, in order; where not all wait for all, the
  /// one that it waits for in the end.
  [[nodiscard]] std::vector<int> missing_at(const meeting_stay& stay, std::int64_t moment) const;
  /// By rank.
  [[nodiscard]] const std::vector<unfinished_meeting>& unfinished() const { return unfinished_; }
  [[nodiscard]] const numbered_calls& calls() const { return calls_; }
  /// Whether it is known for whom a program stood in a wait that begins with an event, if for
  /// anybody.
  [[nodiscard]] bool knows(std::uint32_t event) const { return known_.contains(event); }
  /// Whether a rank has made a call that has a number, by a moment.
  [[nodiscard]] bool has_called(std::uint32_t call, int rank, std::int64_t moment) const;

 private:
  struct arrivals;
  void stand_in(const model& of, const std::vector<bool>& lasting, std::uint32_t call);
  void stand_in(const model& of, const std::vector<bool>& lasting, std::uint32_t call,
                std::size_t member, const arrivals& came);
  [[nodiscard]] std::vector<int> missing_for_ever(const model& of, const numbered_call& call,
                                                  std::size_t member, const arrivals& joint,
                                                  const hang* told) const;
  void stand_in_waits_for_all(const model& of, const std::vector<bool>& lasting, const hang* told);
  [[nodiscard]] const meeting_stay* same_of(int rank, const meeting_stay& stay) const;

  numbered_calls calls_;
  std::vector<std::vector<meeting_stay>> stays_;  // By rank.
  std::vector<unfinished_meeting> unfinished_;
  std::unordered_set<std::uint32_t> known_;  // Events.
};

}  // namespace deed::viewer
