// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  bool done = false;  // What follows a difference differs, too.
  for_each_lasting(seen.tasks, disagreement::kind::order, [&](const disagreement& x) {
    if (done) return;
    done = true;
    auto d = found_across(403, seen, *x.here, "ranks submit in different order",
                          {x.here->call->at, "inserted next on " + rank_name(x.rank)});
    if (!x.conflict) d.how = severity::warning;
    if (x.there->call->at != x.here->call->at) {
      d.secondary.push_back({x.there->call->at, "inserted next on " + rank_name(x.other_rank)});
    }
    d.help = "same order on every rank";
    report(std::move(d));
  });
}

}  // namespace

const rule d403{
    .code = 403,
    .title = "ranks submit in different order",
    .explanation = "Two ranks that both take part in two tasks insert them in the same order.\n",
    .across = look};

}  // namespace deed::check
