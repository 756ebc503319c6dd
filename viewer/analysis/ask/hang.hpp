// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// @file
/// What the runtime left behind when it proved a deadlock: `hang.json` of a recorded run, or the
/// file that `DEED_HANG_REPORT` names.

namespace deed::viewer {

/// A message that one side knows of and the other never met.
struct lost_message {
  int rank = 0;
  bool arrived = false;  ///< At `rank`; else `rank` sent it.
  std::string sentence;
};

/// A rank whose part of a collective call waits for another one.
struct told_call {
  int waits = -1, awaited = -1;
  std::uint32_t number = 0;  ///< Among the calls of its group.
  std::string group;         ///< Its members as `ranks_text` has them; empty: all ranks.
};

struct hang {
  std::string code;  ///< "D511".
  std::string happened;
  std::string help;
  std::string culprit;  ///< "rank 1"; empty where the runtime found none.
  std::string cause;    ///< What the culprit did, or did not.
  std::vector<std::pair<std::string, std::string>> facts;  ///< Who, and what.
  std::vector<std::pair<int, std::string>> ranks;          ///< Each rank and where it stands.
  std::vector<wait_edge> waits;                            ///< From rank to rank.
  std::vector<told_call> calls;
  std::vector<lost_message> messages;
};

/// @throws unreadable if it is no such report.
[[nodiscard]] hang read_hang(const std::string& file);

/// The report of a recorded run; empty if it left none.
[[nodiscard]] std::string hang_of_run(const std::string& run);

/// What it says; nothing if the run left none, or one that is damaged.
[[nodiscard]] std::optional<hang> told_hang(const model& of);

/// Whether an error, one of `model::failures`, says that the runtime proved a deadlock.
[[nodiscard]] bool tells_of_deadlock(const model& of, std::uint32_t failure);
/// When a rank first said so; the end of a run that left nothing but a report. Nothing: none did.
[[nodiscard]] std::optional<std::int64_t> deadlock_told(const model& of);
/// Whether the runtime proved one: it left its report, or ranks recorded what they said of it.
[[nodiscard]] inline bool ended_in_deadlock(const model& of) {
  return deadlock_told(of).has_value();
}
/// "not every rank reaches `barrier`; rank 0 waits for rank 2 (`barrier`, call #2 of the run)": of
/// a run that ended so. Without the report of its ranks, their error.
[[nodiscard]] std::string say_deadlock(const model& of);

/// Who waits for whom, one line for who waits for the same again and again: because of what first,
/// and how often more.
[[nodiscard]] table say_edges(const std::vector<wait_edge>& edges);

/// "no wait is known of rank 1, rank 2": ranks that stand still, and from which no arrow leads; ""
/// where there are none. `waiting`: ranks of which a recording has a wait.
[[nodiscard]] std::string say_without_a_wait(const hang& of, const std::set<int>& waiting = {});

[[nodiscard]] answer say_hang(const hang& of, const std::set<int>& waiting = {});

}  // namespace deed::viewer
