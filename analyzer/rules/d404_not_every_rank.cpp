// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

std::string step_of(const occurrence& o) { return o.call->words.find(verb::step)->operand; }

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.steps, disagreement::kind::missing_step, [&](const disagreement& x) {
    const std::string step = step_of(*x.here);
    if (!(step != "flush" && step != "migrate")) return;
    const decision by = decided_by(seen, *x.here);
    auto d = found_across(404, seen, *x.here,
                          "not every rank reaches " + quoted(x.here->call->name + "()"),
                          {x.here->call->name_at, "reached by " + rank_name(x.rank)});
    if (by.at.known()) d.secondary.push_back({by.at, "the condition depends on the rank"});
    d.notes.push_back("not reached by " + rank_name(x.other_rank));
    d.help = "move it out of the branch";
    report(std::move(d));
  });
}

}  // namespace

const rule d404{.code = 404,
                .title = "not every rank reaches a step",
                .explanation = "Steps are calls that every rank makes, in the same order.\n",
                .across = look};

}  // namespace deed::check
