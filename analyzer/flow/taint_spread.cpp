// SPDX-License-Identifier: MIT
#include "flow/control.hpp"
#include "flow/mentions.hpp"
#include "flow/taint.hpp"
#include "flow/typestate.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

/// @file
/// How what differs between ranks comes from one value to another.

namespace deed::check {

namespace {

/// Whether a rank asks a clock, a file or a generator of its own: what a user says in the
/// environment is mostly the same for all.
bool is_asked_by_itself(const rank_dependence& why) {
  return why.why == rank_dependence::kind::local && !is_of_environment(why);
}

/// What depends on the rank alone is followed on each rank.
bool is_of_one_rank(const std::optional<rank_dependence>& why) {
  return why && why->why != rank_dependence::kind::rank;
}

/// Whether a call may give a variable another value.
bool may_give(const event& e, const std::string& variable) {
  return e.kind == event_kind::call && std::ranges::any_of(e.arguments, [&](const operand& o) {
           return o.use == effect::unknown && key(o.where) == variable;
         });
}

/// The data that a task writes.
std::vector<std::string> written_by(const event& e) {
  std::vector<std::string> found;
  if (e.kind != event_kind::call || !e.words.has(verb::submits)) return found;
  for (const operand* token : tokens(e)) {
    if (writes(token->access)) found.push_back(key(token->where));
  }
  return found;
}

}  // namespace

/// Why each block depends on the rank, if it does: the nearest branch that decides it and does.
std::vector<taint::decision> taint::decided(const function& f,
                                            const std::vector<std::vector<int>>& decides) const {
  std::vector<decision> why(f.blocks.size()), own(f.blocks.size());
  std::vector<int> work;
  for (std::size_t i = 0; i < f.blocks.size(); ++i) {
    if (f.blocks[i].how == split::branch) own[i] = {of(f.blocks[i].condition), static_cast<int>(i)};
    if (own[i].why) work.push_back(static_cast<int>(i));
  }
  const std::size_t first = work.size();
  for (std::size_t n = 0; n < work.size(); ++n) {
    const auto by = static_cast<std::size_t>(work[n]);
    for (const int to : decides[by]) {
      auto& there = why[static_cast<std::size_t>(to)];
      if (there.why) continue;
      there = n < first ? own[by] : why[by];
      work.push_back(to);
    }
  }
  return why;
}

/// Whether a variable becomes what some ranks alone have read, under a condition on the rank, and
/// keeps what it is on the others: no other assignment, and nobody else, gives it to them.
bool taint::is_given_by_some(const function& f, const control& decisions, const event& e,
                             std::size_t block) const {
  if (!e.object.stable() || !reads_content(e.result_value) || all_.var(e.object.root).unsteady)
    return false;
  const std::string variable = key(e.object);
  const auto is_given = [&](int id) {
    return std::ranges::any_of(
        f.blocks[static_cast<std::size_t>(id)].events, [&](const event& one) {
          return one.kind == event_kind::assign && key(one.object) == variable;
        });
  };
  std::set<int> guarded;
  for (const int id : decisions.deciders(static_cast<int>(block))) {
    const auto& split = f.blocks[static_cast<std::size_t>(id)];
    const auto why = of(split.condition);
    if (split.how != split::branch || split.successors.size() != 2 || !why ||
        why->why != rank_dependence::kind::rank)
      continue;
    const int end = decisions.meets_at(id);
    const std::set<int> one = reached(f, split.successors[0], end),
                        other = reached(f, split.successors[1], end);
    if (std::ranges::any_of(one, is_given) && std::ranges::any_of(other, is_given)) return false;
    guarded.insert(one.begin(), one.end());
    guarded.insert(other.begin(), other.end());
  }
  for (const auto& b : f.blocks) {
    for (const event& other : b.events) {
      if (may_give(other, variable)) return false;
    }
  }
  // Where all come once more, it may be given anew to all.
  const std::set<int> later = reached(f, static_cast<int>(block));
  return !guarded.empty() &&
         std::ranges::none_of(later, [&](int id) { return !guarded.contains(id) && is_given(id); });
}

/// Whether what a call writes differs between ranks then: by its values, by what it reads, or since
/// it comes from elsewhere.
bool taint::makes_differ(const event& e) const {
  if (e.words.has(verb::posts, "receive")) return !is_from_one_rank(e);
  const bool step = e.words.has(verb::step) && !e.words.has(verb::registers);
  if (step && !e.words.has(verb::submits)) return !agrees(e);
  return std::ranges::any_of(e.arguments, [&](const operand& o) {
    const bool in_place = e.words.has(verb::registers) && o.storage.known();
    return in_place || of(o.value) ||
           (o.kind == noun::token && reads(o.access) &&
            (differs(key(o.where), {}) || own_element(o.where)));
  });
}

bool taint::spread_to_data(const event& e) {
  if (e.kind == event_kind::assign) return spread_to_lent(e);
  if (e.kind != event_kind::call || e.words.empty() || !makes_differ(e)) return false;
  bool changed = e.words.has(verb::registers) && spread_to_registered(e);
  for (const operand* token : tokens(e)) {
    if (!writes(token->access)) continue;
    const std::string datum = key(token->where);
    const auto only = made_differ(e, *token);
    if (!only) changed |= note_differs(datum, {});
    for (const std::string& member : only.value_or(members()))
      changed |= note_differs(datum, member);
  }
  return changed;
}

/// Whether it is known that a variable differs, and why.
bool taint::is_seen(const path& variable) const {
  const auto known = variables_.find(key(variable));
  return known != variables_.end() && known->second.seen;
}

/// A variable differs by the first reason, or by one that is seen: what makes a datum differ may
/// stand behind who reads it.
bool taint::note_variable(const std::string& name, const rank_dependence& why) {
  if (name.empty() || settled_.contains(name)) return false;
  const auto [known, is_new] = variables_.try_emplace(name, why);
  if (is_new || known->second.seen || !why.seen) return is_new;
  known->second = why;
  return true;
}

/// What a call is worth. What a user says in the environment is mostly the same for all.
bool taint::spread_to_call(const event& e) {
  if (e.kind != event_kind::hand_back || e.other.known() || several_.contains(e.name_at))
    return false;
  const reason why = of(e.result_value);
  if (!why || is_of_environment(*why)) return false;
  const auto [known, is_new] = values_.try_emplace(e.name_at, *why);
  if (is_new || known->second.seen || !why->seen) return is_new;
  known->second = *why;
  return true;
}

bool taint::spread_to_elements(const path& element, const reason& why) {
  const std::string container = container_of(element);
  return !container.empty() && is_of_one_rank(why) && !given_.contains(container) &&
         elements_.try_emplace(container, *why).second;
}

/// A container that grows in a branch that each rank decides by itself, or by such values.
bool taint::spread_to_container(const event& e, const reason& decided) {
  static const std::set<std::string> growing{"push_back", "emplace_back", "push_front", "insert",
                                             "emplace",   "resize",       "assign"};
  const std::string name = key(e.receiver.where);
  if (e.kind != event_kind::call || !e.standard || !growing.contains(e.name) || name.empty() ||
      given_.contains(name))
    return false;
  reason given = decided;
  for (const operand& o : e.arguments) {
    if (!given) given = of(o.value);
  }
  bool changed = false;
  if (is_of_one_rank(decided)) changed = lengths_.try_emplace(name, *decided).second;
  if (e.name == "resize" && is_of_one_rank(given))
    changed |= lengths_.try_emplace(name, *given).second;
  if (is_of_one_rank(given)) changed |= elements_.try_emplace(name, *given).second;
  return changed;
}

void taint::spread(const function& f) {
  const control decisions(f, throw_ends::job);
  const mentions looked_at(f, decisions);
  std::vector<std::vector<int>> decides(f.blocks.size());
  for (std::size_t i = 0; i < f.blocks.size(); ++i) {
    for (const int d : decisions.direct_deciders(static_cast<int>(i)))
      decides[static_cast<std::size_t>(d)].push_back(static_cast<int>(i));
  }
  for (bool changed = true; changed;) {
    changed = false;
    const auto by = decided(f, decides);
    for (std::size_t i = 0; i < f.blocks.size(); ++i) {
      const auto decided_for = [&](const path& object) {
        return by[i].why && looked_at.outside(object.root, by[i].split) ? by[i].why : reason();
      };
      for (const event& e : f.blocks[i].events) {
        changed |= spread_to_data(e);
        // A task that some ranks insert alone, of what is per rank: `if (owns(x)) add(mine, x)`.
        if (by[i].why && by[i].why->seen) {
          for (const std::string& datum : written_by(e)) changed |= note_differs(datum, {});
        }
        changed |= spread_to_container(e, decided_for(e.receiver.where));
        if (e.kind == event_kind::leave && !e.thrown && !returned_) {
          returned_ = of(e.result_value);
          if (!returned_) returned_ = by[i].why;
          if (returned_ && !is_asked_by_itself(*returned_)) returned_.reset();
        }
        changed |= spread_to_call(e);
        if (e.kind == event_kind::move) changed |= spread_to_copy(e.object, e.other);
        if (e.kind == event_kind::hand_back)
          changed |= spread_to_object(e.other, e.object, e.result_value);
        if (e.kind == event_kind::assign)
          changed |= spread_to_object(e.object, e.other, e.result_value);
        if (e.kind != event_kind::assign || is_seen(e.object)) continue;
        if (e.result_value && asks_for_length(*e.result_value))
          changed |= iterators_.try_emplace(key(e.object), key(e.result_value->arguments[0]->where))
                         .second;
        auto why = own_reading(e.result_value);
        if (!why) why = of(e.result_value);
        if (!why) {
          why = decided_for(e.object);
          if (why && why->why == rank_dependence::kind::rank &&
              is_given_by_some(f, decisions, e, i))
            why = {rank_dependence::kind::own_value, e.at, spelling(all_, e.object)};
        }
        changed |= spread_to_elements(e.object, why);
        changed |= why && note_variable(key(e.object), *why);
      }
    }
  }
}

}  // namespace deed::check
