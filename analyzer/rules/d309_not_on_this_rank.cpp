// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

#include <map>
#include <set>

namespace deed::check {
namespace {

/// The data that are here besides those that this rank owns.
struct copies {
  std::set<std::string> names;
  bool any = false;  // It is not known of which data there is one.

  [[nodiscard]] bool contains(const std::string& name) const { return any || names.contains(name); }
};

/// Whether a call moves data to one rank, which is another one.
bool is_for_another(const occurrence& o, int rank) {
  return o.call->words.has(verb::moves, "fetch") && o.peer && *o.peer >= 0 && *o.peer != rank;
}

/// What is here after a call.
void follow(const occurrence& o, int rank, copies& held) {
  if (is_for_another(o, rank)) return;
  const bool task = o.call->words.has(verb::submits);
  const std::optional<int> where = task ? runner(o) : std::nullopt;
  for (const datum_use& use : o.uses) {
    std::vector<std::string> names = use.listed;
    names.push_back(use.what.name);
    // Fetched, or used by a task that may run here; what another rank writes is out of date.
    const bool here = !task || !where || *where == rank;
    const bool known = use.what.registration || !use.listed.empty();
    if (!task && !known && use.access != mode::none) held.any = true;
    for (const std::string& name : names) {
      if (here)
        held.names.insert(name);
      else if (writes(use.access))
        held.names.erase(name);
    }
  }
}

std::string advice(const across_ranks& seen, const datum_use& use) {
  const std::string text = spelling(seen.all, use.token->where);
  const std::string guard =
      text.empty() ? "look only on its owner" : quoted("if (session.owns(" + text + "))");
  if (writes(use.access)) return guard + ", or a task that writes it";
  const std::string fetch =
      text.empty() ? "fetch it"
                   : quoted("session.fetch(deed::read(" + text + "), deed::everywhere)");
  return fetch + " on every rank, or " + guard;
}

void look(const across_ranks& seen, const sink& report) {
  std::map<const event*, std::set<int>> made, shown;
  std::map<const event*, std::pair<const occurrence*, int>> witness;
  for (const auto& [ranks, runs] : seen.runs.by_ranks) {
    if (ranks < 2) continue;
    for (int rank = 0; rank < ranks; ++rank) {
      copies held;
      for (const occurrence& o : runs[static_cast<std::size_t>(rank)].calls) {
        const bool looks = o.call->words.has(verb::lends) || o.call->words.has(verb::posts, "send");
        if (!looks) follow(o, rank, held);
        if (looks) made[o.call].insert(ranks);
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
    // What only a third rank does, two ranks cannot show.
    if (!counts.contains(3) || !counts.contains(4) || counts != made[call]) continue;
    const auto& [o, rank] = witness.at(call);
    const datum_use& use = o->uses.front();
    const std::string datum = name_of(seen, use.token->where);
    auto d = found_across(
        309, seen, *o, datum + " is not on this rank",
        {use.token->at, (call->words.has(verb::lends) ? "borrowed on rank " : "sent by rank ") +
                            std::to_string(rank)});
    d.notes.push_back("the owner is rank " + std::to_string(*use.what.owner));
    d.help = advice(seen, use);
    report(std::move(d));
  }
}

}  // namespace

const rule d309{.code = 309,
                .title = "a datum is not on this rank",
                .explanation = "A rank can look at what it owns, and at what it has fetched.\n",
                .across = look};

}  // namespace deed::check
