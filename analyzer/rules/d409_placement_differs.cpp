// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.tasks, disagreement::kind::placement, [&](const disagreement& x) {
    span at = x.here->call->at;
    for (const operand& given : x.here->call->arguments) {
      if (given.words.has(verb::places)) at = given.at;
    }
    auto d = found_across(
        409, seen, *x.here, "placement of " + task_name(*x.here->call) + " differs between ranks",
        {at, rank_name(x.rank) + " says " + std::to_string(*x.here->place) + ", " +
                 rank_name(x.other_rank) + " says " + std::to_string(*x.there->place)});
    d.help = "compute it from values that are equal on all ranks";
    report(std::move(d));
  });
}

}  // namespace

const rule d409{.code = 409,
                .title = "placement differs between ranks",
                .explanation =
                    "Who runs a task is decided by every rank for itself, so all have to come to "
                    "the same answer.\n",
                .across = look};

}  // namespace deed::check
