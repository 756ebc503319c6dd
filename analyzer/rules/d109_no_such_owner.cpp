// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  const auto owner = [](const occurrence& o) { return o.owner; };
  for_each_out_of_range(seen, owner, [&](const occurrence& o, int, int ranks, std::int64_t n) {
    auto d = found_across(109, seen, o, "owner " + std::to_string(n) + " does not exist",
                          {argument_at(*o.call, noun::owner), "this owner"});
    d.notes.push_back("with " + std::to_string(ranks) + " ranks, owners are 0 to " +
                      std::to_string(ranks - 1));
    d.help = "keep it below `size()`: `deed::owner{i % size}`";
    report(std::move(d));
  });
}

}  // namespace

const rule d109{.code = 109,
                .title = "an owner does not exist",
                .explanation = "Owners are ranks: 0 to size() - 1.\n",
                .across = look};

}  // namespace deed::check
