// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

std::string step_of(const occurrence& o) { return o.call->words.find(verb::step)->operand; }

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.steps, disagreement::kind::missing_step, [&](const disagreement& x) {
    const std::string step = step_of(*x.here);
    if (!(step == "flush")) return;
    const decision by = decided_by(seen, *x.here);
    auto d = found_across(610, seen, *x.here, "flush on some ranks only",
                          {x.here->call->name_at, "reached by " + rank_name(x.rank)});
    if (by.at.known()) d.secondary.push_back({by.at, "the condition depends on the rank"});
    d.notes.push_back("not reached by " + rank_name(x.other_rank));
    d.help = "a flush is a step: every rank; values are right without one";
    report(std::move(d));
  });
}

}  // namespace

const rule d610{.code = 610,
                .title = "a flush on some ranks only",
                .explanation =
                    "A flush forgets copies. A rank that does not hear of it believes that they "
                    "are still there.\n",
                .across = look};

}  // namespace deed::check
