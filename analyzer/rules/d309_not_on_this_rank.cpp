// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

#include <map>
#include <set>

namespace deed::check {
namespace {

/// Which data are here after a call, besides those that this rank owns.
void follow(const occurrence& o, int rank, std::set<std::string>& held) {
  const bool task = o.call->words.has(verb::submits);
  const std::optional<int> where = task ? runner(o) : std::nullopt;
  for (const datum_use& use : o.uses) {
    // Fetched, or used by a task that may run here; what another rank writes is out of date.
    if (!task || !where || *where == rank)
      held.insert(use.what.name);
    else if (writes(use.access))
      held.erase(use.what.name);
  }
}

void look(const across_ranks& seen, const sink& report) {
  std::map<const event*, std::set<int>> shown;
  std::map<const event*, std::pair<const occurrence*, int>> witness;
  for (const auto& [ranks, runs] : seen.runs.by_ranks) {
    if (ranks < 2) continue;
    for (int rank = 0; rank < ranks; ++rank) {
      std::set<std::string> held;
      for (const occurrence& o : runs[static_cast<std::size_t>(rank)].calls) {
        const bool looks = o.call->words.has(verb::lends) || o.call->words.has(verb::posts, "send");
        if (!looks) follow(o, rank, held);
        for (const datum_use& use : o.uses) {
          if (!looks || !use.what.owner || *use.what.owner == rank || *use.what.owner >= ranks)
            continue;
          if (!writes(use.access) && held.contains(use.what.name)) continue;
          shown[o.call].insert(ranks);
          witness.try_emplace(o.call, &o, rank);
        }
      }
    }
  }
  for (const auto& [call, counts] : shown) {
    if (counts.size() < 3) continue;
    const auto& [o, rank] = witness.at(call);
    const datum_use& use = o->uses.front();
    const std::string datum = name_of(seen, use.token->where);
    auto d = found_across(
        309, seen, *o, datum + " is not on this rank",
        {use.token->at, (call->words.has(verb::lends) ? "borrowed on rank " : "sent by rank ") +
                            std::to_string(rank)});
    d.notes.push_back("the owner is rank " + std::to_string(*use.what.owner));
    const std::string text = spelling(seen.all, use.token->where);
    const std::string guard = quoted("if (session.owns(" + text + "))");
    d.help = writes(use.access)
                 ? guard + ", or a task that writes it"
                 : quoted("session.fetch(deed::read(" + text + "), deed::everywhere)") +
                       " on every rank, or " + guard;
    report(std::move(d));
  }
}

}  // namespace

const rule d309{.code = 309,
                .title = "a datum is not on this rank",
                .explanation = "A rank can look at what it owns, and at what it has fetched.\n",
                .across = look};

}  // namespace deed::check
