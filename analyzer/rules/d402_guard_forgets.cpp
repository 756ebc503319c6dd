// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.tasks, disagreement::kind::missing_task, [&](const disagreement& x) {
    const decision by = decided_by(seen, *x.here);
    if (by.loop || !by.guard) return;
    const span at = x.about && x.about->token ? x.about->token->at : x.here->call->at;
    const std::string datum =
        x.about && x.about->token ? name_of(seen, x.about->token->where) : "the task";
    auto d = found_across(
        402, seen, *x.here,
        "guard forgets " + (x.about ? datum : "the runner of " + task_name(*x.here->call)),
        {at, x.about
                 ? datum + " is owned by " + rank_name(x.other_rank) + ", which must make the call"
                 : rank_name(x.other_rank) + " runs it, and must make the call"});
    d.secondary.push_back({by.at, "false on " + rank_name(x.other_rank)});
    d.help = "`if (session.relevant(…))` with all tokens of the task";
    report(std::move(d));
  });
}

void look_later(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.tasks, disagreement::kind::stale_reader, [&](const disagreement& x) {
    const decision by = decided_by(seen, *x.here);
    const std::string datum = name_of(seen, x.about->token->where);
    auto d = found_across(
        402, seen, *x.here, "guard forgets a later reader of " + datum,
        {x.about->token->at, rank_name(x.other_rank) + " reads " + datum + " later and must know"});
    if (by.at.known()) d.secondary.push_back({by.at, "false on " + rank_name(x.other_rank)});
    for (const datum_use& use : x.there->uses) {
      if (use.what.name == x.about->what.name) {
        d.secondary.push_back({use.token->at, "read again here, on " + rank_name(x.other_rank)});
      }
    }
    d.help = "remove the condition, or `if (session.relevant(…))` with all tokens of the task";
    report(std::move(d));
  });
}

void look_at_both(const across_ranks& seen, const sink& report) {
  look(seen, report);
  look_later(seen, report);
}

}  // namespace

const rule d402{
    .code = 402,
    .title = "a guard forgets a participant",
    .explanation = "A guard has to let in every rank that owns a datum of the task or runs it.\n",
    .across = look_at_both};

}  // namespace deed::check
