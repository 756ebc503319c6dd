// SPDX-License-Identifier: MIT
#include "rules/own_splits.hpp"

#include "flow/inline.hpp"
#include "flow/typestate.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace deed::check {
namespace {

/// Whether ranks differ at a split of a callee by data that the callee itself does not know, so
/// that nothing is said of it there.
bool is_known_here_alone(const whole_function& seen, const block& split,
                         const rank_dependence& why) {
  const bool of_datum = why.why == rank_dependence::kind::per_rank_datum ||
                        why.why == rank_dependence::kind::own_element;
  const auto within = std::ranges::find_if(seen.all.functions, [&](const auto& one) {
    return has_split(*one.second, split.condition_at);
  });
  if (!of_datum || within == seen.all.functions.end()) return false;
  const auto opened = inlined(seen.all, *within->second);
  const taint ranks(seen.all, *opened);
  const auto same = std::ranges::find_if(opened->blocks, [&](const block& b) {
    return b.condition_at == split.condition_at && b.how == split.how;
  });
  return same != opened->blocks.end() && !ranks.of(same->condition);
}

/// Why ranks may differ at a split: by its condition, or since only some come to what they read.
std::optional<rank_dependence> why_own(const whole_function& seen, const block& b, int id) {
  if (const auto why = seen.ranks.own_reading(b.condition)) return why;
  if (const auto why = seen.ranks.of(b.condition))
    return seen.ranks.asks_for_rank(b.condition) ? std::nullopt : why;
  if (b.how != split::branch || !reads_content(b.condition) || !is_guarded(seen, id))
    return std::nullopt;
  return rank_dependence{rank_dependence::kind::own_value, b.condition_at,
                         spelling(seen.all, b.condition)};
}

/// What is met from `from` on, before it comes to the end of the split.
lone_call first_on(const function& f, int from, const own_split& at,
                   const std::function<bool(const event&)>& wanted) {
  lone_call found;
  std::vector<char> seen(f.blocks.size());
  std::vector<int> way{from};
  for (std::size_t i = 0; i < way.size(); ++i) {
    const int id = way[i];
    found.goes_round = found.goes_round || id == at.id;
    if (id < 0 || id == at.end || std::exchange(seen[static_cast<std::size_t>(id)], 1)) continue;
    const block& here = f.blocks[static_cast<std::size_t>(id)];
    const auto it = std::ranges::find_if(here.events, wanted);
    if (it != here.events.end() && !found.call) {
      found.call = &*it;
      found.block = id;
    }
    way.insert(way.end(), here.successors.begin(), here.successors.end());
  }
  return found;
}

std::string difference(const rank_dependence& why) {
  const std::string datum = quoted(why.text);
  switch (why.why) {
    case rank_dependence::kind::per_rank_datum:
      return "differs between ranks: " +
             (why.member.empty() ? datum + " is per rank"
                                 : quoted(why.member) + " is of " + datum + ", which is per rank");
    case rank_dependence::kind::own_element:
      return "differs between ranks: " + datum + " is another datum on each";
    case rank_dependence::kind::own_value:
      return "differs between ranks: some alone read " + (why.text.empty() ? "it" : datum);
    case rank_dependence::kind::computed:
      return "differs between ranks: " + quoted(why.text + "()") + " depends on the rank";
    default:
      return "known to this rank only";
  }
}

}  // namespace

void explain(diagnostic& d, const span& condition, const rank_dependence& why) {
  d.secondary.push_back({condition, difference(why)});
  const bool elsewhere =
      why.at.known() && (why.at.file != condition.file || why.at.line < condition.line ||
                         why.at.line > condition.end_line);
  if (elsewhere) d.secondary.push_back({why.at, "it comes from here"});
}

bool has_split(const function& own, const span& condition) {
  return std::ranges::any_of(own.blocks,
                             [&](const block& b) { return b.condition_at == condition; });
}

void for_each_own_split(const whole_function& seen,
                        const std::function<void(const own_split&)>& look) {
  const control decisions(seen.opened, throw_ends::job);
  for (const split kind : {split::branch, split::loop}) {
    for (std::size_t i = 0; i < seen.opened.blocks.size(); ++i) {
      const block& b = seen.opened.blocks[i];
      const int end = decisions.meets_at(static_cast<int>(i));
      if (b.how != kind || b.successors.size() != 2 || end < 0 || end == seen.opened.exit) continue;
      const auto why = why_own(seen, b, static_cast<int>(i));
      if (why && why->seen && !is_of_environment(*why) &&
          (has_split(seen.own, b.condition_at) || is_known_here_alone(seen, b, *why)))
        look({&b, static_cast<int>(i), end, *why});
    }
  }
}

std::optional<lone_call> on_one_way(const whole_function& seen, const own_split& at,
                                    const std::function<bool(const event&)>& wanted) {
  lone_call one = first_on(seen.opened, at.at->successors[0], at, wanted);
  lone_call other = first_on(seen.opened, at.at->successors[1], at, wanted);
  one.other_goes_round = other.goes_round;
  other.other_goes_round = one.goes_round;
  if ((one.call == nullptr) == (other.call == nullptr)) return std::nullopt;
  return one.call ? one : other;
}

bool is_guarded(const whole_function& seen, int block) {
  return std::ranges::any_of(seen.decisions.deciders(block), [&](int id) {
    if (id == block) return false;  // A loop leads back to itself.
    const auto why = seen.ranks.of(seen.opened.blocks[static_cast<std::size_t>(id)].condition);
    return why && why->why == rank_dependence::kind::rank;
  });
}

bool is_for_some(const whole_function& seen, const lone_call& what, const own_split& behind) {
  return std::ranges::any_of(seen.decisions.deciders(what.block), [&](int id) {
    if (id == behind.id) return false;
    const block& b = seen.opened.blocks[static_cast<std::size_t>(id)];
    const auto why = seen.ranks.of(b.condition);
    return why && why->why == rank_dependence::kind::rank && b.successors.size() == 2 &&
           on_one_way(seen, {&b, id, seen.decisions.meets_at(id), *why},
                      [&](const event& e) { return &e == what.call; });
  });
}

bool is_of_own(const whole_function& seen, const path& datum) {
  return std::ranges::any_of(datum.parts, [&](const part& step) {
    return std::ranges::any_of(
        step.indices, [&](const value_ref& index) { return seen.ranks.asks_for_rank(index); });
  });
}

bool is_shared_task(const whole_function& seen, const event& e) {
  return e.kind == event_kind::call && e.words.has(verb::submits) &&
         std::ranges::any_of(tokens(e),
                             [&](const operand* o) { return seen.ranks.is_owned(o->where); });
}

bool is_plain_step(const event& e) {
  const word* step = e.kind == event_kind::call ? e.words.find(verb::step) : nullptr;
  return step && step->operand != "flush" && step->operand != "migrate" && !is_of_some_ranks(e) &&
         !e.words.has(verb::registers) && !e.words.has(verb::consumes);
}

}  // namespace deed::check
