// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.steps, disagreement::kind::extent, [&](const disagreement& x) {
    for (std::size_t i = 0; i < x.here->extents.size(); ++i) {
      if (x.here->extents[i] == x.there->extents[i]) continue;
      span at = x.here->call->at;
      std::size_t n = 0;
      for (const operand& given : x.here->call->arguments) {
        if (given.of_options && given.kind == noun::none && n++ == i) at = given.at;
      }
      auto d = found_across(
          212, seen, *x.here,
          "ranks disagree on the size of " + name_of(seen, x.here->call->result),
          {at, std::to_string(*x.here->extents[i]) + " on " + rank_name(x.rank) + ", " +
                   std::to_string(*x.there->extents[i]) + " on " + rank_name(x.other_rank)});
      d.help = "compute extents from values that are equal on all ranks";
      return report(std::move(d));
    }
  });
}

}  // namespace

const rule d212{.code = 212,
                .title = "ranks disagree on the size of a datum",
                .explanation = "A datum has the same extents on every rank.\n",
                .across = look};

}  // namespace deed::check
