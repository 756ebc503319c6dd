// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const whole_function& seen, const sink& report) {
  for (std::size_t i = 0; i < seen.opened.blocks.size(); ++i) {
    const block& loop = seen.opened.blocks[i];
    if (loop.unordered.empty()) continue;
    for (const int inside : seen.decisions.region(static_cast<int>(i))) {
      for (const event& e : seen.opened.blocks[static_cast<std::size_t>(inside)].events) {
        if (e.kind != event_kind::call || !e.words.has(verb::submits)) continue;
        diagnostic d;
        d.code = 407;
        d.headline = "iteration order differs between ranks";
        d.primary = {loop.condition_at, "loop over an unordered container"};
        d.secondary.push_back({e.at, "inserted here"});
        d.help = "a `std::vector`, or a `std::map` keyed by name";
        return report(std::move(d));
      }
    }
  }
}

}  // namespace

const rule d407{.code = 407,
                .title = "tasks are inserted in an order that differs between ranks",
                .explanation =
                    "Every rank inserts the same tasks in the same order. The order of a hashed "
                    "container is another one\n"
                    "on every rank.\n",
                .at_function = look};

}  // namespace deed::check
