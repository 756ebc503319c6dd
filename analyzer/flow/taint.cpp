// SPDX-License-Identifier: MIT
#include "flow/taint.hpp"

#include "flow/control.hpp"
#include "flow/mentions.hpp"
#include "flow/typestate.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace deed::check {

namespace {

/// What a broadcast or its like makes equal on all ranks: from where on, is not followed.
std::set<std::string> agreed_in(const function& f) {
  std::set<std::string> names;
  for (const block& b : f.blocks) {
    for (const event& e : b.events) {
      const bool given = e.kind == event_kind::assign && e.result_value;
      if (given && e.result_value->what == value::kind::uniform) names.insert(key(e.object));
    }
  }
  return names;
}

/// How many elements a container has, or where they begin and end.
bool asks_for_length(const value& v) {
  static const std::set<std::string> names{"std size", "std empty",  "std begin",
                                           "std end",  "std cbegin", "std cend"};
  return v.what == value::kind::operation && v.arguments.size() == 1 && names.contains(v.text) &&
         v.arguments[0] && v.arguments[0]->what == value::kind::variable;
}

/// Whether a rank asks a clock, a file or a generator of its own: what a user says in the
/// environment is mostly the same for all.
bool is_asked_by_itself(const rank_dependence& why) {
  return why.why == rank_dependence::kind::local && !why.text.ends_with("getenv");
}

/// What depends on the rank alone is followed on each rank.
bool is_of_one_rank(const std::optional<rank_dependence>& why) {
  return why && why->why != rank_dependence::kind::rank;
}

/// The list that a datum is an element of.
std::string list_of(const path& datum) {
  if (datum.parts.empty() || datum.parts.back().what != part::kind::index) return {};
  path list = datum;
  list.parts.pop_back();
  return key(list);
}

/// Whether what is received comes from one rank, the same for all who receive it: what that has
/// said to all by messages is no different from a broadcast.
bool is_from_one_rank(const event& e) {
  return e.words.has(verb::posts, "receive") &&
         std::ranges::any_of(e.arguments, [](const operand& o) {
           return o.kind == noun::peer && o.value && o.value->what == value::kind::constant;
         });
}

bool reads_content(const value_ref& v) {
  return v && (v->what == value::kind::content || std::ranges::any_of(v->arguments, reads_content));
}

/// Whether a call may give a variable another value.
bool may_give(const event& e, const std::string& variable) {
  return e.kind == event_kind::call && std::ranges::any_of(e.arguments, [&](const operand& o) {
           return o.use == effect::unknown && key(o.where) == variable;
         });
}

/// Whether a collective leaves the same on all ranks in what it writes.
bool agrees(const event& e) {
  const word* step = e.words.find(verb::step);
  return step && (step->operand == "all_gather" || step->operand == "all_reduce" ||
                  step->operand == "broadcast");
}

}  // namespace

taint::taint(const program& all, const function& f, int depth) : all_(all), depth_(depth) {
  note_calls(f);
  spread(f);
}

/// Containers that are emptied, or given as a whole once more, or by a collective: what was in them
/// before tells nothing.
void taint::note_given_anew(const event& e, std::set<std::string>& begun) {
  static const std::set<std::string> emptying{"clear", "assign",   "erase",
                                              "swap",  "pop_back", "operator="};
  if (e.kind == event_kind::call && e.standard && emptying.contains(e.name))
    given_.insert(key(e.receiver.where));
  if (e.kind == event_kind::move) given_.insert(key(e.other));
  if (e.kind == event_kind::swap) given_.insert({key(e.object), key(e.other)});
  if (e.kind != event_kind::assign || !e.result_value) return;
  const bool collective =
      e.result_value->what == value::kind::uniform && !e.result_value->text.empty();
  if (collective || !begun.insert(key(e.object)).second) given_.insert(key(e.object));
}

void taint::note_calls(const function& f) {
  std::set<std::string> begun;
  for (const block& b : f.blocks) {
    for (const event& e : b.events) {
      note_given_anew(e, begun);
      note_unlike(e);
      if (e.kind != event_kind::call) continue;
      for (const operand& o : e.arguments) {
        if (o.use == effect::unknown && !e.standard) given_.insert(key(o.where));
      }
      if (e.words.has(verb::lends)) {
        for (const operand* token : tokens(e)) borrows_[key(e.result)] = token->where;
      }
      for (const operand* token : tokens(e)) {
        if ((agrees(e) || is_from_one_rank(e)) && writes(token->access))
          agreed_.insert(key(token->where));
      }
      if (!e.words.has(verb::registers)) continue;
      bool owned = e.receiver.kind != noun::session;
      for (const operand& o : e.arguments) owned = owned || o.kind == noun::owner;
      registered_[key(e.result)] = owned;
    }
  }
}

bool taint::is_owned(const path& datum) const {
  const auto it = registered_.find(key(datum));
  return it != registered_.end() && it->second;
}

std::optional<rank_dependence> taint::of(const value_ref& v) const {
  if (!v) return std::nullopt;
  switch (v->what) {
    case value::kind::rank:
      return rank_dependence{rank_dependence::kind::rank, v->at, "rank()"};
    case value::kind::rank_local:
      return rank_dependence{rank_dependence::kind::local, v->at, v->text};
    case value::kind::guard:
      return rank_dependence{rank_dependence::kind::rank, v->at, v->text};
    case value::kind::content:
      return of_content(*v);
    case value::kind::variable:
      return of_variable(v->where);
    case value::kind::operation:
      if (asks_for_length(*v)) return of_length(*v);
      if (auto found = of_variable(element_of(*v))) return found;
      [[fallthrough]];
    case value::kind::call:
      if (auto found = v->what == value::kind::call ? of_call(v->text) : reason()) return found;
      for (const value_ref& one : v->arguments) {
        if (auto found = of(one)) return found;
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

taint::reason taint::of_content(const value& v) const {
  const auto lent = borrows_.find(key(v.where));
  if (lent == borrows_.end()) return std::nullopt;
  const auto known = registered_.find(key(lent->second));
  if (known == registered_.end()) return own_element(lent->second);
  if (known->second || agreed_.contains(known->first)) return std::nullopt;
  return rank_dependence{rank_dependence::kind::per_rank_datum, v.at, spelling(all_, lent->second),
                         differing_.contains(known->first)};
}

/// `x[session.rank()]`, of a list whose data are not made alike.
taint::reason taint::own_element(const path& datum) const {
  if (datum.parts.empty() || datum.parts.back().what != part::kind::index) return std::nullopt;
  const bool own = std::ranges::any_of(datum.parts.back().indices, [&](const value_ref& index) {
    const reason why = of(index);
    return why && why->why == rank_dependence::kind::rank;
  });
  const std::string name = list_of(datum);
  if (!own || name.empty() || agreed_.contains(name) || !unlike_.contains(name))
    return std::nullopt;
  return rank_dependence{rank_dependence::kind::own_element, {}, spelling(all_, datum)};
}

/// The container that an element is of: `rows[i]`, `*row`.
std::string taint::container_of(const path& element) const {
  if (element.parts.empty() || element.parts.back().what == part::kind::field) return {};
  path object = element;
  object.parts.pop_back();
  if (element.parts.back().what == part::kind::index) return key(object);
  const auto into = iterators_.find(key(object));
  return into == iterators_.end() ? std::string() : into->second;
}

taint::reason taint::of_variable(const path& where) const {
  if (const auto it = variables_.find(key(where)); it != variables_.end()) return it->second;
  const auto within = elements_.find(container_of(where));
  if (within == elements_.end()) return std::nullopt;
  return within->second;
}

taint::reason taint::of_length(const value& asked) const {
  const std::string container = key(asked.arguments[0]->where);
  if (const auto it = lengths_.find(container); it != lengths_.end()) return it->second;
  return of_variable(asked.arguments[0]->where);
}

/// Of a function that returns what only one rank knows, whatever it is given.
taint::reason taint::of_call(const std::string& callee) const {
  constexpr int deepest = 3;
  const function* const called = depth_ < deepest ? all_.find(callee) : nullptr;
  if (!called) return std::nullopt;
  const auto [it, is_new] = results_.try_emplace(callee);
  if (is_new) it->second = taint(all_, *called, depth_ + 1).returned_;
  return it->second;
}

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
           (o.kind == noun::token && reads(o.access) && differing_.contains(key(o.where)));
  });
}

/// Lists of data that begin, or become, unlike each other.
void taint::note_unlike(const event& e) {
  if (e.kind != event_kind::call) return;
  if (e.words.has(verb::registers)) {
    const bool of_number = std::ranges::any_of(e.arguments, [](const operand& o) {
      return o.kind == noun::none && o.value && o.value->what != value::kind::constant &&
             o.value->what != value::kind::uniform;
    });
    if (of_number) unlike_.insert(key(e.result));
  }
  if (e.standard && e.receiver.use == effect::grow) {
    for (const operand& o : e.arguments) {
      if (o.kind == noun::handle && unlike_.contains(key(o.where)))
        unlike_.insert(key(e.receiver.where));
    }
  }
  const auto given = tokens(e);
  if (!e.words.has(verb::submits) || given.size() < 2) return;
  for (const operand* token : given) {
    if (writes(token->access)) unlike_.insert(list_of(token->where));
  }
}

bool taint::spread_to_data(const event& e) {
  const std::size_t before = differing_.size();
  if (e.kind == event_kind::assign) {
    const auto lent = borrows_.find(key(path{e.object.root, {}}));
    const reason why = of(e.result_value);
    if (lent != borrows_.end() && !e.object.parts.empty() && why && why->seen)
      differing_.insert(key(lent->second));
  } else if (e.kind == event_kind::call && !e.words.empty() && makes_differ(e)) {
    if (e.words.has(verb::registers)) differing_.insert(key(e.result));
    for (const operand* token : tokens(e)) {
      if (writes(token->access)) differing_.insert(key(token->where));
    }
  }
  return differing_.size() != before;
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
  const std::set<std::string> agreed = agreed_in(f);
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
        changed |= spread_to_container(e, decided_for(e.receiver.where));
        if (e.kind == event_kind::leave && !e.thrown && !returned_) {
          returned_ = of(e.result_value);
          if (!returned_) returned_ = by[i].why;
          if (returned_ && !is_asked_by_itself(*returned_)) returned_.reset();
        }
        if (e.kind != event_kind::assign || variables_.contains(key(e.object))) continue;
        if (e.result_value && asks_for_length(*e.result_value))
          iterators_[key(e.object)] = key(e.result_value->arguments[0]->where);
        auto why = of(e.result_value);
        if (!why) {
          why = decided_for(e.object);
          if (why && why->why == rank_dependence::kind::rank &&
              is_given_by_some(f, decisions, e, i))
            why = {rank_dependence::kind::own_value, e.at, spelling(all_, e.object)};
        }
        changed |= spread_to_elements(e.object, why);
        if (!why || key(e.object).empty() || agreed.contains(key(e.object))) continue;
        variables_[key(e.object)] = *why;
        changed = true;
      }
    }
  }
}

}  // namespace deed::check
