// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/across.hpp"
#include "rules/lone_tiles.hpp"
#include "rules/own_splits.hpp"
#include "rules/registry.hpp"

#include <algorithm>

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.tasks, disagreement::kind::missing_task, [&](const disagreement& x) {
    const decision by = decided_by(seen, *x.here);
    if (by.loop || by.guard) return;  // D406, D402
    const span at = x.about && x.about->token ? x.about->token->at : x.here->call->at;
    const std::string datum =
        x.about && x.about->token ? name_of(seen, x.about->token->where) : "the task";
    const bool only_read = x.about && !writes(x.about->access);
    auto d = found_across(
        401, seen, *x.here,
        rank_name(x.other_rank) + " must take part in " + task_name(*x.here->call),
        {at, x.about
                 ? datum + " is owned by " + rank_name(x.other_rank) +
                       (only_read ? ", which never sends it" : ", which does not know of the task")
                 : rank_name(x.other_rank) + " runs it"});
    if (by.at.known())
      d.secondary.push_back({by.at, rank_name(x.other_rank) + " does not get here"});
    if (x.about && x.about->what.registration) {
      d.notes.push_back(datum + " is registered at " + where(seen, x.about->what.registration->at));
    }
    d.help = "remove the condition, or `if (session.relevant(…))` with all tokens";
    report(std::move(d));
  });
}

/// A task on shared data that each rank inserts, or does not, by what it alone knows.
void look_at_splits(const whole_function& seen, const sink& report) {
  for_each_own_split(seen, [&](const own_split& own) {
    if (own.why.why == rank_dependence::kind::own_value) return;  // Who knows it may be the owner.
    const auto is_task = [&](const event& e) { return is_shared_task(seen, e); };
    const auto found = on_one_way(seen, own, is_task);
    if (!found || own.at->how == split::loop || found->goes_round) return;  // D406
    if (on_one_way(seen, own, is_plain_step)) return;                       // D404
    if (is_guarded(seen, found->block)) return;  // Who comes here at all is looked at on ranks.
    const event& task = *found->call;
    const auto given = tokens(task);
    const auto datum = std::ranges::find_if(given, [&](const operand* o) {
      return seen.ranks.is_owned(o->where) && !is_of_own(seen, o->where);
    });
    if (datum == given.end()) return;
    diagnostic d;
    d.code = 401;
    if (own.why.why != rank_dependence::kind::per_rank_datum) d.how = severity::warning;
    d.headline = "not every rank that takes part inserts " + task_name(task);
    d.primary = {(*datum)->at, "its owner may not come here"};
    d.origin = own.why.at;
    explain(d, own.at->condition_at, own.why);
    d.help = "agree first, with `session.any(…)` or a reduction";
    report(std::move(d));
  });
}

}  // namespace

const rule d401{.code = 401,
                .title = "a rank must take part in a task",
                .explanation =
                    "A rank takes part in a task if it owns one of its data, or runs it. Such a "
                    "rank makes the call;\n"
                    "another may skip it.\n",
                .at_function =
                    [](const whole_function& seen, const sink& report) {
                      look_at_splits(seen, report);
                      look_at_lone_tiles(seen, report);
                    },
                .across = look};

}  // namespace deed::check
