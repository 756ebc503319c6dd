// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.steps, disagreement::kind::other_step, [&](const disagreement& x) {
    if (is_other_round(seen, x)) return;  // D404
    auto d = found_across(
        609, seen, *x.here, "ranks call different collectives",
        {x.here->call->name_at, rank_name(x.rank) + ": " + quoted(x.here->call->name) + " here"});
    if (x.there->call->name_at != x.here->call->name_at) {
      d.secondary.push_back({x.there->call->name_at, rank_name(x.other_rank) + ": " +
                                                         quoted(x.there->call->name) + " here"});
    }
    d.help = "the same call on every rank";
    report(std::move(d));
  });
}

}  // namespace

const rule d609{.code = 609,
                .title = "ranks call different steps",
                .explanation = "Steps are calls that every rank makes, in the same order.\n",
                .across = look};

}  // namespace deed::check
