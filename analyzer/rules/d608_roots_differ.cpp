// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.steps, disagreement::kind::root, [&](const disagreement& x) {
    auto d = found_across(
        608, seen, *x.here, "ranks disagree on the root of " + quoted(x.here->call->name + "()"),
        {argument_at(*x.here->call, noun::peer),
         rank_name(x.rank) + " says " + std::to_string(*x.here->peer) + ", " +
             rank_name(x.other_rank) + " says " + std::to_string(*x.there->peer)});
    d.help = "one root";
    report(std::move(d));
  });
}

}  // namespace

const rule d608{.code = 608,
                .title = "ranks disagree on the root",
                .explanation = "A collective has one root, and every rank names it.\n",
                .across = look};

}  // namespace deed::check
