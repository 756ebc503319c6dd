// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  const auto it = seen.runs.by_ranks.find(4);
  if (it == seen.runs.by_ranks.end()) return;
  for (const occurrence& o : it->second[0].calls) {
    if (!o.call->words.has(verb::submits) || o.has_place) continue;
    const datum_use* first = nullptr;
    for (const datum_use& use : o.uses) {
      if (!writes(use.access) || !use.what.owner || use.access == mode::scratch) continue;
      if (!first) {
        first = &use;
        continue;
      }
      if (first->what.owner == use.what.owner) continue;
      auto d = found_across(412, seen, o, task_name(*o.call) + " writes data of two ranks",
                            {use.token->at, "written for rank " + std::to_string(*use.what.owner)});
      d.how = severity::performance;
      d.secondary.push_back(
          {first->token->at, "written for rank " + std::to_string(*first->what.owner)});
      d.help = "say where it runs: " +
               quoted("deed::on_owner_of(" + spelling(seen.all, first->token->where) + ")");
      report(std::move(d));
      break;
    }
  }
}

}  // namespace

const rule d412{.code = 412,
                .title = "a task writes data of two ranks",
                .explanation =
                    "One rank runs the task; what it writes for the other rank has to travel back "
                    "every time.\n",
                .across = look};

}  // namespace deed::check
