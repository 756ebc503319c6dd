// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/own_splits.hpp"
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

/// A loop whose end each rank reads from its own data, around a task on shared data.
void look_at_bound(const whole_function& seen, const sink& report) {
  const taint& ranks = seen.ranks;
  for (std::size_t i = 0; i < seen.opened.blocks.size(); ++i) {
    const block& loop = seen.opened.blocks[i];
    if (loop.how != split::loop) continue;
    const auto read = ranks.own_reading(loop.condition);
    const auto why = read ? read : ranks.of(loop.condition);
    if (!why || why->why == rank_dependence::kind::rank || is_of_environment(*why)) continue;
    if (why->why == rank_dependence::kind::own_value && is_guarded(seen, static_cast<int>(i)))
      continue;  // The ranks that know it are alone with it.
    // A rank that throws ends the job: what comes after the loop is not in it.
    const control decisions(seen.opened, throw_ends::job);
    for (const int inside : decisions.region(static_cast<int>(i))) {
      for (const event& e : seen.opened.blocks[static_cast<std::size_t>(inside)].events) {
        if (!is_shared_task(seen, e)) continue;
        diagnostic d;
        d.code = 406;
        d.headline = "ranks submit different numbers of tasks";
        d.primary = {e.at, "inserted in this loop"};
        explain(d, loop.condition_at, *why);
        d.help = "reduce it and `fetch` the result, or loop over the global range";
        return report(std::move(d));
      }
    }
  }
}

/// A loop around a task on shared data that each rank leaves when it alone wants to.
void look_at_ways_out(const whole_function& seen, const sink& report) {
  for_each_own_split(seen, [&](const own_split& own) {
    const auto is_task = [&](const event& e) { return is_shared_task(seen, e); };
    const auto found = on_one_way(seen, own, is_task);
    if (!found || own.at->how == split::loop || !found->goes_round || found->other_goes_round ||
        is_for_some(seen, *found, own) || on_one_way(seen, own, is_plain_step))  // D404
      return;
    diagnostic d;
    d.code = 406;
    d.headline = "ranks submit different numbers of tasks";
    d.primary = {found->call->at, "inserted in a loop that each rank leaves by itself"};
    d.origin = own.why.at;
    explain(d, own.at->condition_at, own.why);
    d.help = "agree first: `if (session.any(…)) break;`";
    report(std::move(d));
  });
}

}  // namespace

const rule d406{
    .code = 406,
    .title = "ranks submit different numbers of tasks",
    .explanation =
        "Loops that insert shared tasks run equally often on every rank that takes part.\n",
    .at_function =
        [](const whole_function& seen, const sink& report) {
          look_at_bound(seen, report);
          look_at_ways_out(seen, report);
        },
    .across = look};

}  // namespace deed::check
