// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/across.hpp"
#include "rules/registry.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace deed::check {
namespace {

/// Then `look` tells of them.
bool spelled_alike(const operand& a, const operand& b) {
  return !key(a.where).empty() && key(a.where) == key(b.where);
}

using pair_of_uses = std::pair<const datum_use*, const datum_use*>;

/// Two uses of one registered datum by a task, one of which writes it, that are spelled
/// differently.
std::optional<pair_of_uses> used_twice(const occurrence& task) {
  if (!task.call->words.has(verb::submits)) return std::nullopt;
  const auto& uses = task.uses;
  for (std::size_t second = 1; second < uses.size(); ++second) {
    const datum& what = uses[second].what;
    for (std::size_t first = 0; first < second; ++first) {
      const bool same = what.registration && what.name == uses[first].what.name &&
                        uses[first].token && uses[second].token &&
                        !spelled_alike(*uses[first].token, *uses[second].token);
      if (same && (writes(uses[first].access) || writes(uses[second].access)))
        return pair_of_uses{&uses[first], &uses[second]};
    }
  }
  return std::nullopt;
}

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::submits)) return;
  const auto given = tokens(m.now);
  for (std::size_t second = 1; second < given.size(); ++second) {
    const std::string datum = key(given[second]->where);
    for (std::size_t first = 0; first < second && !datum.empty(); ++first) {
      if (key(given[first]->where) != datum) continue;
      if (!writes(given[first]->access) && !writes(given[second]->access)) continue;
      const bool both = writes(given[first]->access) && writes(given[second]->access);
      const std::string name = name_of(m, given[second]->where);
      auto d = found(209, severity::error, m,
                     name + (both ? " is written twice by " : " is both read and written by ") +
                         task_name(m.now),
                     {given[second]->at, "second use"});
      d.secondary.push_back({given[first]->at, "first use"});
      d.help = "pass " + name + " once, for reading and writing";
      return report(std::move(d));
    }
  }
}

/// Two elements of a list that are the same one in some round of a loop, however many ranks there
/// are: with one rank, neighbours are the same, which no program has to stand.
struct same_element {
  const occurrence* task = nullptr;
  pair_of_uses uses;
  std::set<int> shown;  // numbers of ranks
};

void note_same(const rank_run& run, int ranks, std::map<const event*, same_element>& found) {
  for (const occurrence& o : run.calls) {
    const auto twice = used_twice(o);
    if (twice)
      found.try_emplace(o.call, same_element{&o, *twice, {}}).first->second.shown.insert(ranks);
  }
}

void look_across(const across_ranks& seen, const sink& report) {
  std::map<const event*, same_element> found;
  for (const auto& [ranks, runs] : seen.runs.by_ranks) {
    for (const rank_run& run : runs) {
      if (ranks > 1 && !run.guessed) note_same(run, ranks, found);
    }
  }
  for (const auto& [call, same] : found) {
    if (same.shown.size() < 3) continue;
    const auto [first, second] = same.uses;
    const std::string name = name_of(seen, second->token->where);
    const bool both = writes(first->access) && writes(second->access);
    auto d =
        found_across(209, seen, *same.task,
                     name + (both ? " is written twice by " : " is both read and written by ") +
                         task_name(*call),
                     {second->token->at, "second use"});
    d.secondary.push_back({first->token->at, "first use: the same datum in some round"});
    d.help = "leave out the round in which both are the same";
    report(std::move(d));
  }
}

}  // namespace

const rule d209{
    .code = 209,
    .title = "one datum twice in a task, with a write",
    .explanation =
        "A task that writes a datum has it alone. Two parameters for the same datum would be\n"
        "two views of memory that one of them changes.\n",
    .at_event = look,
    .across = look_across};

}  // namespace deed::check
