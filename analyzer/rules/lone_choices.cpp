// SPDX-License-Identifier: MIT
#include "rules/lone_choices.hpp"

#include "flow/control.hpp"
#include "flow/inline.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace deed::check {
namespace {

std::vector<const event*> steps_of(const rank_run& run) {
  std::vector<const event*> found;
  for (const occurrence& o : run.calls) {
    if (o.call->words.has(verb::step) && !o.of_members) found.push_back(o.call);
  }
  return found;
}

/// What may come on one way of a branch: of a job that has not ended.
struct outlook {
  const event* leave = nullptr;  // the first return of the function itself
  bool same_step = false;        // a step of the kind that is wanted
  bool step = false;             // any
  bool goes_on = false;          // the function may end there
};
outlook ahead(const function& f, int from, const event& wanted) {
  outlook found;
  for (const int id : reached(f, from, -1, throw_ends::job)) {
    found.goes_on = found.goes_on || id == f.exit;
    for (const event& e : f.blocks[static_cast<std::size_t>(id)].events) {
      const word* const step = e.kind == event_kind::call ? e.words.find(verb::step) : nullptr;
      found.step = found.step || step;
      found.same_step =
          found.same_step || (step && step->operand == wanted.words.find(verb::step)->operand);
      const bool leaves = (e.kind == event_kind::leave && !e.thrown) || ends_process(e);
      const bool first = !found.leave || e.at < found.leave->at;
      if (leaves && e.depth == 0 && first) found.leave = &e;
    }
  }
  return found;
}

/// Whether a condition says what only one rank can know. What is read of data is known of other
/// rules, and nothing is known of what changes unseen.
bool is_own_knowledge(const program& all, const value_ref& condition) {
  if (!condition || condition->what == value::kind::content) return false;
  if (condition->where.known() && all.var(condition->where.root).unsteady) return false;
  return std::ranges::all_of(condition->arguments,
                             [&](const value_ref& one) { return is_own_knowledge(all, one); });
}

/// Whether one of two ranks stands at a branch where it may pass by the next step of the other.
std::optional<lone_choice> between(const across_ranks& seen, const rank_run& one,
                                   const rank_run& other) {
  const function& f = *seen.runs.opened;
  if (one.open < 0 ||
      !is_own_knowledge(seen.all, f.blocks[static_cast<std::size_t>(one.open)].condition))
    return std::nullopt;
  const auto mine = steps_of(one), others = steps_of(other);
  const bool begins = mine.size() < others.size() &&
                      std::equal(mine.begin(), mine.end(), others.begin(),
                                 others.begin() + static_cast<std::ptrdiff_t>(mine.size()));
  if (!begins) return std::nullopt;
  const block& branch = f.blocks[static_cast<std::size_t>(one.open)];
  const event* const next = others[mine.size()];
  const outlook first = ahead(f, branch.successors[0], *next),
                second = ahead(f, branch.successors[1], *next);
  const outlook& past = first.same_step ? second : first;
  if (first.same_step == second.same_step || !(past.goes_on || past.step)) return std::nullopt;
  return lone_choice{next, past.step ? nullptr : past.leave, branch.condition_at};
}

}  // namespace

void for_each_lone_choice(const across_ranks& seen,
                          const std::function<void(const lone_choice&)>& look) {
  std::map<span, std::pair<lone_choice, std::size_t>> found;  // by condition: on how many numbers
  std::size_t numbers = 0;
  for (const auto& [ranks, runs] : seen.runs.by_ranks) {
    if (ranks < 2) continue;
    ++numbers;
    std::set<span> shown;
    for (int rank = 0; rank < ranks; ++rank) {
      for (int other = 0; other < ranks; ++other) {
        auto choice = between(seen, runs[static_cast<std::size_t>(rank)],
                              runs[static_cast<std::size_t>(other)]);
        if (!choice || !shown.insert(choice->condition).second) continue;
        choice->rank = rank;
        choice->other_rank = other;
        ++found.try_emplace(choice->condition, *choice, 0).first->second.second;
      }
    }
  }
  for (const auto& [condition, one] : found) {
    if (one.second == numbers) look(one.first);
  }
}

}  // namespace deed::check
