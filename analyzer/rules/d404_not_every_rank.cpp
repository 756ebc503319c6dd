// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/across.hpp"
#include "rules/registry.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace deed::check {
namespace {

bool is_asked_here(const std::string& step) { return step != "flush" && step != "migrate"; }

const event* first_step(const block& b) {
  for (const event& e : b.events) {
    const word* step = e.kind == event_kind::call ? e.words.find(verb::step) : nullptr;
    if (step && is_asked_here(step->operand) && !e.words.has(verb::registers) &&
        !e.words.has(verb::consumes))
      return &e;
  }
  return nullptr;
}

/// The nearest step on the way from `from`, before it comes to `end`.
const event* first_step(const function& f, int from, int end) {
  std::vector<char> seen(f.blocks.size());
  std::vector<int> way{from};
  for (std::size_t i = 0; i < way.size(); ++i) {
    const int id = way[i];
    if (id < 0 || id == end || std::exchange(seen[static_cast<std::size_t>(id)], 1)) continue;
    const block& here = f.blocks[static_cast<std::size_t>(id)];
    if (const event* const step = first_step(here)) return step;
    way.insert(way.end(), here.successors.begin(), here.successors.end());
  }
  return nullptr;
}

/// Whether the loop inserts tasks on shared data: then that is what differs (D406).
bool inserts_shared_tasks(const whole_function& seen, const control& decisions, int loop) {
  return std::ranges::any_of(decisions.region(loop), [&](int inside) {
    return std::ranges::any_of(
        seen.opened.blocks[static_cast<std::size_t>(inside)].events, [&](const event& e) {
          return e.kind == event_kind::call && e.words.has(verb::submits) &&
                 std::ranges::any_of(
                     tokens(e), [&](const operand* o) { return seen.ranks.is_owned(o->where); });
        });
  });
}

/// A split with a step on one of its ways, and why each rank decides it by itself. What depends on
/// the rank alone is run on all ranks, and compared there; one that leaves is D405.
struct lone_step {
  const event* step;
  rank_dependence why;
};
std::optional<lone_step> lone_step_behind(const whole_function& seen, const control& decisions,
                                          int at) {
  const block& b = seen.opened.blocks[static_cast<std::size_t>(at)];
  const int end = decisions.meets_at(at);
  if (b.successors.size() != 2 || end < 0 || end == seen.opened.exit) return std::nullopt;
  const auto why = seen.ranks.of(b.condition);
  if (!why || why->why == rank_dependence::kind::rank) return std::nullopt;
  const event* const one = first_step(seen.opened, b.successors[0], end);
  const event* const other = first_step(seen.opened, b.successors[1], end);
  if ((one == nullptr) == (other == nullptr)) return std::nullopt;
  return lone_step{one ? one : other, *why};
}

/// Whether a split is of the function itself. A callee's is looked at there, where a `return` is
/// seen as what it is.
bool is_own(const function& own, const block& split) {
  return std::ranges::any_of(own.blocks,
                             [&](const block& b) { return b.condition_at == split.condition_at; });
}

void look_at_splits(const whole_function& seen, const sink& report) {
  const control decisions(seen.opened, throw_ends::job);
  std::set<span> told;  // A loop that a branch leaves differs for the reason of the branch.
  for (const split kind : {split::branch, split::loop}) {
    for (std::size_t i = 0; i < seen.opened.blocks.size(); ++i) {
      const block& b = seen.opened.blocks[i];
      if (b.how != kind || !is_own(seen.own, b)) continue;
      const auto found = lone_step_behind(seen, decisions, static_cast<int>(i));
      if (!found || !told.insert(found->why.at).second) continue;
      if (kind == split::loop && inserts_shared_tasks(seen, decisions, static_cast<int>(i)))
        continue;
      diagnostic d;
      d.code = 404;
      d.headline = "not every rank reaches " + quoted(found->step->name + "()");
      d.primary = {found->step->name_at, "not reached by all ranks"};
      d.secondary.push_back({b.condition_at, found->why.why == rank_dependence::kind::per_rank_datum
                                                 ? "differs between ranks: " +
                                                       quoted(found->why.text) + " is per rank"
                                                 : "known to this rank only"});
      d.help = "agree first, with `session.any(…)` or a reduction";
      report(std::move(d));
    }
  }
}

void look(const across_ranks& seen, const sink& report) {
  report_missing_steps(
      seen,
      {.code = 404,
       .wanted = is_asked_here,
       .headline =
           [](const event& call) { return "not every rank reaches " + quoted(call.name + "()"); },
       .help = "move it out of the branch"},
      report);
}

}  // namespace

const rule d404{.code = 404,
                .title = "not every rank reaches a step",
                .explanation = "Steps are calls that every rank makes, in the same order.\n",
                .at_function = look_at_splits,
                .across = look};

}  // namespace deed::check
