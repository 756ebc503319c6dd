// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.steps, disagreement::kind::left_early, [&](const disagreement& x) {
    auto d = found_across(405, seen, *x.here,
                          "some ranks leave before " + quoted(x.here->call->name + "()"),
                          {x.left->at, rank_name(x.other_rank) + " leaves here"});
    d.secondary.push_back({x.here->call->name_at, rank_name(x.rank) + " reaches this"});
    d.help = "agree first: `if (session.any(failed)) return;`";
    report(std::move(d));
  });
}

}  // namespace

const rule d405{
    .code = 405,
    .title = "some ranks leave before a step",
    .explanation = "A rank that returns early does not make the calls that the others wait for.\n",
    .across = look};

}  // namespace deed::check
