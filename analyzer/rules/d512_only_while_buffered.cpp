// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  for (const auto& [ranks, runs] : seen.runs.by_ranks) {
    const auto messages = seen.messages.find(ranks);
    if (messages == seen.messages.end() || !messages->second.known ||
        !messages->second.left.empty()) {
      continue;
    }
    const auto circle = circle_of_waits(runs, messages->second, false);
    if (circle.empty() || !circle_of_waits(runs, messages->second, true).empty()) continue;
    const waiting& one = circle.front();

    auto d = found_across(
        512, seen, *one.at, "works only while messages are buffered",
        {one.at->call->name_at, "rank " + std::to_string(one.rank) + " waits here until rank " +
                                    std::to_string(one.peer) + " receives"});
    d.how = severity::warning;
    for (const waiting& other : circle) {
      if (other.at->call == one.at->call) continue;
      d.secondary.push_back(
          {other.at->call->name_at, "rank " + std::to_string(other.rank) + " waits here"});
    }
    if (one.behind)
      d.secondary.push_back(
          {one.behind->call->name_at,
           "rank " + std::to_string(one.rank) + " sends here to rank " + std::to_string(one.peer)});
    d.notes.push_back("rank " + std::to_string(one.peer) + " sends first, too");
    d.help = "start both, then wait for both";
    return report(std::move(d));
  }
}

}  // namespace

const rule d512{.code = 512,
                .title = "works only while messages are buffered",
                .explanation =
                    "A send may wait for its receive when the message is large. Then every rank "
                    "waits in its send.\n",
                .across = look};

}  // namespace deed::check
