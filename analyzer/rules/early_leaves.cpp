// SPDX-License-Identifier: MIT
#include "rules/early_leaves.hpp"

#include "flow/inline.hpp"

namespace deed::check {
namespace {

/// The first step, and the return, throw or `exit(0)`, that can be reached from a block.
struct outlook {
  const event *step = nullptr, *leave = nullptr;
};
outlook ahead(const function& f, int from, int end = -1) {
  outlook found;
  const auto note = [](const event*& first, const event& e) {
    if (!first || e.at < first->at) first = &e;
  };
  for (const int id : reached(f, from, end)) {
    const block& b = f.blocks[static_cast<std::size_t>(id)];
    for (const event& e : b.events) {
      const bool step = e.kind == event_kind::call && e.words.has(verb::step) &&
                        !e.words.has(verb::consumes) && !is_of_some_ranks(e);
      if (step) note(found.step, e);
      const bool leaves = e.kind == event_kind::leave || (ends_process(e) && !b.ends_job);
      if (leaves && e.depth == 0) note(found.leave, e);
    }
  }
  return found;
}

}  // namespace

std::vector<early_leave> early_leaves(const function& opened, const taint& ranks) {
  std::vector<early_leave> found;
  const control decisions(opened);
  for (std::size_t i = 0; i < opened.blocks.size(); ++i) {
    const block& b = opened.blocks[i];
    if (b.how != split::branch || b.successors.size() != 2) continue;
    const auto why = ranks.of(b.condition);
    // What depends on the rank alone is run on all ranks, and compared there.
    if (!why || why->why == rank_dependence::kind::rank) continue;
    const int end = decisions.meets_at(static_cast<int>(i));
    for (const std::size_t way : {0U, 1U}) {
      // What stands behind the end of both ways is left by all.
      const event* const leave = ahead(opened, b.successors[way], end).leave;
      const event* const step = ahead(opened, b.successors[1 - way]).step;
      if (!leave || !step || ahead(opened, b.successors[way]).step) continue;
      found.push_back({leave, step, b.condition_at, *why});
      break;
    }
  }
  return found;
}

}  // namespace deed::check
