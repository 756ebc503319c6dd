// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.steps, disagreement::kind::type, [&](const disagreement& x) {
    auto d = found_across(
        213, seen, *x.here, "ranks disagree on the type of a datum",
        {x.here->call->at, quoted(x.here->call->result_type) + " on " + rank_name(x.rank)});
    d.secondary.push_back(
        {x.there->call->at, quoted(x.there->call->result_type) + " on " + rank_name(x.other_rank)});
    d.help = "one alias for both";
    report(std::move(d));
  });
}

}  // namespace

const rule d213{.code = 213,
                .title = "ranks disagree on the type of a datum",
                .explanation = "A datum has the same type on every rank.\n",
                .across = look};

}  // namespace deed::check
