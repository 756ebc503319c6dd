// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <map>

namespace deed::viewer {
namespace {

struct loss {
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
  std::uint64_t timed = 0;    ///< Of the transfers, those of which it is known how long they took.
  std::int64_t time = 0;      ///< That they took.
  std::int64_t critical = 0;  ///< Of it on the critical path.
};

/// Of each reason why a cause is not known, how many have it.
void say_unknown_causes(const std::map<std::string, std::uint64_t>& reasons, answer& into) {
  for (const auto& [why, transfers] : reasons)
    into.sentences.push_back("the cause of " + say_some(transfers, "transfer") +
                             " is not known: " + why);
}

}  // namespace

std::optional<critical_times> critical_times_of(const model& of) {
  const std::vector<path_step> path = critical_path(of);
  if (path.empty()) return {};
  critical_times found;
  for (const path_step& each : path)
    if (each.kind == "network" && each.transfer != none)
      found[each.transfer] += each.end - each.begin;
  // A step of the path may begin when it was asked for: that is no time of the transfer.
  for (auto& [index, time] : found) {
    const transfer& x = of.transfers()[index];
    const bool timed = x.left() != never && x.done_receive != never;
    time = std::min(time, timed ? std::max<std::int64_t>(0, x.done_receive - x.left()) : 0);
  }
  return found;
}

answer redundant(const model& of, loss_by by, const run_part& part) {
  if (auto missing = not_recorded(of, {"xfer"})) return std::move(*missing);
  const critical_times on_path = critical_times_of(of).value_or(critical_times{});
  std::map<std::string, loss> losses;
  loss all;
  std::map<std::string, std::uint64_t> not_known;
  const std::vector<repeat> of_run = repeats(of, {});
  for (const repeat& each : of_run) {
    if (!part.has_transfer(of, each.transfer)) continue;
    const transfer& x = of.transfers()[each.transfer];
    const std::string name = by == loss_by::cause    ? each.cause
                             : by == loss_by::handle ? of.handle_name(x.handle)
                                                     : each.place;
    if (!each.not_known.empty()) ++not_known[each.not_known];
    const bool timed = x.left() != never && x.done_receive != never;
    const std::int64_t took = timed ? std::max<std::int64_t>(0, x.done_receive - x.left()) : 0;
    const auto critical = on_path.find(each.transfer);
    for (loss* const into : {&losses[name], &all}) {
      ++into->transfers;
      into->timed += timed ? 1 : 0;
      into->bytes += x.bytes;
      into->time += took;
      into->critical += critical == on_path.end() ? 0 : critical->second;
    }
  }
  answer said;
  said.sentences.push_back(all.transfers == 0
                               ? say_no_repeat(of, of_run, {}, part)
                               : say_some(all.transfers, "transfer") + " moved " +
                                     say_bytes(all.bytes) + " that the receiver had had already; " +
                                     say_time(all.critical) + " of it on the critical path");
  say_unknown_causes(not_known, said);
  say_unknown_before(of, said);
  constexpr const char* names[]{"cause", "line", "handle"};
  table rows{
      "", {names[static_cast<std::size_t>(by)], "transfers", "bytes", "time", "critical"}, {}};
  std::vector<std::pair<std::string, loss>> sorted(losses.begin(), losses.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  for (const auto& [name, lost] : sorted)
    rows.rows.push_back({name, say_count(lost.transfers), say_bytes(lost.bytes),
                         lost.timed == 0 ? cell("-") : say_time(lost.time),
                         lost.timed == 0 ? cell("-") : say_time(lost.critical)});
  said.tables.push_back(std::move(rows));
  return said;
}

}  // namespace deed::viewer
