// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.steps, disagreement::kind::owner, [&](const disagreement& x) {
    auto d = found_across(
        111, seen, *x.here, "ranks disagree on the owner of " + name_of(seen, x.here->call->result),
        {argument_at(*x.here->call, noun::owner),
         rank_name(x.rank) + " says " + std::to_string(*x.here->owner) + ", " +
             rank_name(x.other_rank) + " says " + std::to_string(*x.there->owner)});
    d.help = "`deed::per_rank` for one private copy on every rank";
    report(std::move(d));
  });
}

}  // namespace

const rule d111{.code = 111,
                .title = "ranks disagree on an owner",
                .explanation = "A datum has one owner, and every rank knows who it is.\n",
                .across = look};

}  // namespace deed::check
