// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.steps, disagreement::kind::registration, [&](const disagreement& x) {
    const decision by = decided_by(seen, *x.here);
    auto d = found_across(
        107, seen, *x.here, "ranks disagree on registration " + x.here->made.name,
        {x.here->call->at, rank_name(x.rank) + " registers " + x.here->made.name + " here"});
    if (by.at.known()) d.secondary.push_back({by.at, "the condition depends on the rank"});
    d.notes.push_back(rank_name(x.other_rank) + " does not, and numbers what follows differently");
    d.help = "register on every rank, only the owner builds the value";
    report(std::move(d));
  });
}

}  // namespace

const rule d107{
    .code = 107,
    .title = "ranks disagree on a registration",
    .explanation =
        "Registrations are numbered on every rank. One more on one rank shifts all that follow.\n",
    .across = look};

}  // namespace deed::check
