// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.tasks, disagreement::kind::missing_task, [&](const disagreement& x) {
    const decision by = decided_by(seen, *x.here);
    if (!by.loop) return;
    auto d = found_across(406, seen, *x.here, "ranks submit different numbers of tasks",
                          {x.here->call->at, "inserted in this loop"});
    d.secondary.push_back(
        {by.at, rank_name(x.rank) + " goes round more often than " + rank_name(x.other_rank)});
    d.help = "loop over the global range on every rank";
    report(std::move(d));
  });
}

}  // namespace

const rule d406{
    .code = 406,
    .title = "ranks submit different numbers of tasks",
    .explanation =
        "Loops that insert shared tasks run equally often on every rank that takes part.\n",
    .across = look};

}  // namespace deed::check
