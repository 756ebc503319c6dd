// SPDX-License-Identifier: MIT
#include "rules/own_splits.hpp"

#include "flow/inline.hpp"
#include "flow/typestate.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace deed::check {
namespace {

bool is_of(const function& own, const block& split) {
  return std::ranges::any_of(own.blocks,
                             [&](const block& b) { return b.condition_at == split.condition_at; });
}

/// Whether ranks differ at a split of a callee by data that the callee itself does not know, so
/// that nothing is said of it there.
bool is_known_here_alone(const whole_function& seen, const block& split,
                         const rank_dependence& why) {
  const bool of_datum = why.why == rank_dependence::kind::per_rank_datum ||
                        why.why == rank_dependence::kind::own_element;
  const auto within = std::ranges::find_if(
      seen.all.functions, [&](const auto& one) { return is_of(*one.second, split); });
  if (!of_datum || within == seen.all.functions.end()) return false;
  const auto opened = inlined(seen.all, *within->second);
  const taint ranks(seen.all, *opened);
  const auto same = std::ranges::find_if(opened->blocks, [&](const block& b) {
    return b.condition_at == split.condition_at && b.how == split.how;
  });
  return same != opened->blocks.end() && !ranks.of(same->condition);
}

/// Whether a value that is asked for, by itself or in one made of several, is as `wanted`.
bool asks(const value_ref& v, const std::function<bool(const value_ref&)>& wanted) {
  if (!v) return false;
  const bool one = v->what == value::kind::call || v->what == value::kind::guard;
  if (one || v->arguments.empty()) return wanted(v);
  return std::ranges::any_of(v->arguments,
                             [&](const value_ref& part) { return asks(part, wanted); });
}

/// The conditions that `&&`, `||` and `!` put together.
void split_up(const value_ref& v, std::vector<value_ref>& into) {
  const bool logical = v && v->what == value::kind::operation &&
                       (v->text == "&&" || v->text == "||" || v->text == "!");
  if (!logical) return into.push_back(v);
  for (const value_ref& one : v->arguments) split_up(one, into);
}

/// As the user wrote it; nothing where a part of it has no name.
std::string named(const program& all, const value_ref& v) {
  const std::string text = spelling(all, v);
  const bool without = text.find('?') != std::string::npos || text.starts_with("* ");
  return without ? std::string() : text;
}

/// Whether the rank, or an owner, has a say in it as well: then it may be a guard.
bool asks_for_rank(const taint& ranks, const value_ref& v) {
  return asks(v, [&](const value_ref& one) {
    const auto why = ranks.of(one);
    return why && why->why == rank_dependence::kind::rank;
  });
}

/// Why ranks may differ at a split: by its condition, or since only some come to what they read.
std::optional<rank_dependence> why_own(const whole_function& seen, const block& b, int id) {
  if (const auto why = own_reading(seen, b.condition)) return why;
  if (const auto why = seen.ranks.of(b.condition))
    return asks_for_rank(seen.ranks, b.condition) ? std::nullopt : why;
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

}  // namespace

void explain(diagnostic& d, const span& condition, const rank_dependence& why) {
  d.secondary.push_back({condition, difference(why, "")});
  explain_origin(d, condition, why);
}

std::string difference(const rank_dependence& why, std::string_view what) {
  const std::string subject = what.empty() ? "" : std::string(what) + " ";
  switch (why.why) {
    case rank_dependence::kind::per_rank_datum:
      return subject + "differs between ranks: " + quoted(why.text) + " is per rank";
    case rank_dependence::kind::own_element:
      return subject + "differs between ranks: " + quoted(why.text) + " is another datum on each";
    case rank_dependence::kind::own_value:
      return subject + "differs between ranks: some alone read " +
             (why.text.empty() ? "it" : quoted(why.text));
    case rank_dependence::kind::computed:
      return subject + "differs between ranks: " + quoted(why.text + "()") + " depends on the rank";
    default:
      return subject + (what.empty() ? "known to this rank only" : "is known to this rank only");
  }
}

void explain_origin(diagnostic& d, const span& condition, const rank_dependence& why) {
  const bool elsewhere =
      why.at.known() && (why.at.file != condition.file || why.at.line < condition.line ||
                         why.at.line > condition.end_line);
  if (elsewhere) d.secondary.push_back({why.at, "it comes from here"});
}

std::optional<rank_dependence> own_reading(const whole_function& seen, const value_ref& condition) {
  std::vector<value_ref> parts;
  split_up(condition, parts);
  const auto of_rank = [&](const value_ref& one) { return asks_for_rank(seen.ranks, one); };
  const auto own = [&](const value_ref& one) {
    return !of_rank(one) && (reads_content(one) || seen.ranks.of(one));
  };
  const auto found = std::ranges::find_if(parts, own);
  if (found == parts.end() || std::ranges::none_of(parts, of_rank)) return std::nullopt;
  return rank_dependence{rank_dependence::kind::own_value, {}, named(seen.all, *found)};
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
      if (why && why->seen && (is_of(seen.own, b) || is_known_here_alone(seen, b, *why)))
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
