// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  const auto place = [](const occurrence& o) { return o.place; };
  for_each_out_of_range(seen, place, [&](const occurrence& o, int, int ranks, std::int64_t n) {
    span at = o.call->at;
    for (const operand& given : o.call->arguments) {
      if (given.words.has(verb::places)) at = given.at;
    }
    auto d = found_across(410, seen, o, "no such rank " + std::to_string(n), {at, "placement"});
    d.notes.push_back("with " + std::to_string(ranks) + " ranks, they are 0 to " +
                      std::to_string(ranks - 1));
    d.help = "keep it below `size()`: `deed::rank{i % size}`";
    report(std::move(d));
  });
}

}  // namespace

const rule d410{.code = 410,
                .title = "a task is placed on a rank that does not exist",
                .explanation = "Ranks are 0 to size() - 1.\n",
                .across = look};

}  // namespace deed::check
