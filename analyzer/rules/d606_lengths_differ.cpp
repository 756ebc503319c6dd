// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

std::string counted(std::int64_t data) {
  return data == 1 ? "1 datum" : std::to_string(data) + " data";
}

void look(const across_ranks& seen, const sink& report) {
  for_each_lasting(seen.steps, disagreement::kind::length, [&](const disagreement& x) {
    for (std::size_t i = 0; i < x.here->lengths.size() && i < x.there->lengths.size(); ++i) {
      const auto &here = x.here->lengths[i], &there = x.there->lengths[i];
      if (!here || !there || *here == *there) continue;
      auto d = found_across(
          606, seen, *x.here,
          "ranks pass lists of different length to " + quoted(x.here->call->name + "()"),
          {x.here->uses[i].token->at, rank_name(x.rank) + " passes " + counted(*here) + ", " +
                                          rank_name(x.other_rank) + " " + counted(*there)});
      d.help = "the whole list on every rank";
      return report(std::move(d));
    }
  });
}

}  // namespace

const rule d606{.code = 606,
                .title = "ranks pass lists of different length",
                .explanation =
                    "Every rank sends what it owns of the list, and the root receives the rest: "
                    "all have to name the\n"
                    "same data. The list holds handles, so that it costs nothing to pass all of "
                    "it.\n",
                .across = look};

}  // namespace deed::check
