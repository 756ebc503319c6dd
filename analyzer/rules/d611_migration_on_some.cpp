// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

std::string step_of(const occurrence& o) { return o.call->words.find(verb::step)->operand; }

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.steps, disagreement::kind::missing_step, [&](const disagreement& x) {
    const std::string step = step_of(*x.here);
    if (!(step == "migrate")) return;
    const decision by = decided_by(seen, *x.here);
    auto d = found_across(611, seen, *x.here, "migration on some ranks only",
                          {x.here->call->name_at, "reached by " + rank_name(x.rank)});
    if (by.at.known()) d.secondary.push_back({by.at, "the condition depends on the rank"});
    d.notes.push_back("not reached by " + rank_name(x.other_rank));
    d.help = "call it on every rank, at the same point";
    report(std::move(d));
  });
}

}  // namespace

const rule d611{.code = 611,
                .title = "a migration on some ranks only",
                .explanation = "A migration changes the owner. Every rank has to hear of it.\n",
                .across = look};

}  // namespace deed::check
