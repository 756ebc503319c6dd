// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

/// A ring in which every rank passes on what it still has to get.
void report_values(const across_ranks& seen, const std::vector<waiting>& circle,
                   const sink& report) {
  const waiting& one = circle.front();
  auto d =
      found_across(511, seen, *one.at, "every rank waits for another",
                   {one.at->call->at, "rank " + std::to_string(one.rank) + " sends what rank " +
                                          std::to_string(one.peer) + " has to send it first"});
  d.secondary.push_back({one.behind->call->at, "the value comes with this receive"});
  for (const waiting& other : circle) {
    if (other.rank == one.rank) continue;
    d.notes.push_back("rank " + std::to_string(other.rank) + " waits for rank " +
                      std::to_string(other.peer) + " in the same way");
    break;
  }
  d.help = "receive into another datum, or send first";
  report(std::move(d));
}

void look(const across_ranks& seen, const sink& report) {
  for (const auto& [ranks, runs] : seen.runs.by_ranks) {
    const auto messages = seen.messages.find(ranks);
    if (messages == seen.messages.end() || !messages->second.known ||
        !messages->second.left.empty()) {
      continue;
    }
    const auto circle = circle_of_waits(runs, messages->second, true);
    if (circle.empty() && ranks > 1) {
      const auto values = circle_of_values(messages->second);
      if (!values.empty()) return report_values(seen, values, report);
    }
    if (circle.empty()) continue;
    const waiting& one = circle.front();

    auto d = found_across(
        511, seen, *one.at, "every rank waits for another",
        {one.at->call->name_at,
         "rank " + std::to_string(one.rank) + " waits here for rank " + std::to_string(one.peer)});
    for (const waiting& other : circle) {
      const std::string text = "rank " + std::to_string(other.rank) + " waits here for rank " +
                               std::to_string(other.peer);
      if (other.at->call == one.at->call) {
        if (other.rank != one.rank)
          d.notes.push_back(text.substr(0, text.find(" here")) +
                            text.substr(text.find(" here") + 5) + ", at the same line");
      } else {
        d.secondary.push_back({other.at->call->name_at, text});
      }
    }
    if (one.behind)
      d.secondary.push_back({one.behind->call->name_at, "rank " + std::to_string(one.rank) +
                                                            " receives here from rank " +
                                                            std::to_string(one.peer)});
    d.help = "send before waiting";
    return report(std::move(d));
  }
}

}  // namespace

const rule d511{
    .code = 511,
    .title = "every rank waits for another",
    .explanation =
        "A wait before the send that the other side waits for: no rank gets to its send.\n",
    .across = look};

}  // namespace deed::check
