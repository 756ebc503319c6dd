// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

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

}  // namespace

const rule d401{.code = 401,
                .title = "a rank must take part in a task",
                .explanation =
                    "A rank takes part in a task if it owns one of its data, or runs it. Such a "
                    "rank makes the call;\n"
                    "another may skip it.\n",
                .across = look};

}  // namespace deed::check
