// SPDX-License-Identifier: MIT
#include "flow/taint.hpp"

#include "flow/typestate.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace deed::check {

namespace {

/// The list that a datum is an element of.
std::string list_of(const path& datum) {
  if (datum.parts.empty() || datum.parts.back().what != part::kind::index) return {};
  path list = datum;
  list.parts.pop_back();
  return key(list);
}

/// Whether it is reached through a borrow, by a name that a function has for it.
bool is_lent(const program& all, const path& p) {
  return !p.parts.empty() && all.var(p.root).kind == noun::borrow;
}

/// Whether a function returns a number with a fraction.
bool returns_fraction(const program& all, const function& f) {
  const std::string& type = all.var(f.result).type;
  return type == "double" || type == "float" || type == "long double";
}

}  // namespace

taint::taint(const program& all, const function& f, int depth, const givens& begin)
    : all_(all), depth_(depth) {
  for (const auto& [id, what] : begin) {
    if (what.whole) note_member({id, {}}, {}, *what.whole);
    for (const auto& [name, why] : what.members) note_member({id, {}}, name, why);
    begun_.insert(key(path{id, {}}));
  }
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

/// What a call is worth is told by its place: not if several ways lead there, as on each it may be
/// worth something else.
void taint::note_return(const event& e) {
  const bool of_call = e.kind == event_kind::hand_back && !e.other.known() && e.name_at.known();
  if (of_call && !returns_[e.name_at].insert(e.at).second) several_.insert(e.name_at);
}

/// What all ranks are given alike by a call that agrees, or by one that is not looked into, and
/// may. A literal is given alike, too, but may be no more than where they begin.
void taint::note_settled(const event& e) {
  const value* const given = e.kind == event_kind::assign ? e.result_value.get() : nullptr;
  if (given && given->what == value::kind::uniform && !given->text.empty())
    settled_.insert(key(e.object));
  if (e.kind != event_kind::call || e.standard || !e.words.empty()) return;
  for (const operand& o : e.arguments) {
    if (o.use == effect::unknown) settled_.insert(key(o.where));
  }
}

void taint::note_calls(const function& f) {
  std::set<std::string> begun;
  for (const block& b : f.blocks) {
    for (const event& e : b.events) {
      note_given_anew(e, begun);
      note_unlike(e);
      note_return(e);
      note_settled(e);
      note_held(e);
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
  const auto owned = [&](const std::string& name) {
    const auto it = registered_.find(name);
    return it != registered_.end() && it->second;
  };
  const auto held = held_.find(container_of(datum));
  return owned(key(datum)) || (held != held_.end() && std::ranges::all_of(held->second, owned));
}

/// Which handles a list is made of.
void taint::note_held(const event& e) {
  if (e.kind != event_kind::call || !e.standard || e.receiver.use != effect::grow) return;
  for (const operand& o : e.arguments) {
    if (o.kind == noun::handle) held_[key(e.receiver.where)].insert(key(o.where));
  }
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
      return of_content(v->where, v->text, v->at);
    case value::kind::variable:
      if (is_lent(all_, v->where))
        return of_content({v->where.root, {}}, lent_member(v->where), v->at);
      return of_variable(v->where);
    case value::kind::operation:
      if (asks_for_length(*v)) return of_length(*v);
      if (auto found = of_variable(element_of(*v))) return found;
      [[fallthrough]];
    case value::kind::call:
      return v->what == value::kind::call ? of_call(*v) : of_any(v->arguments);
    default:
      return std::nullopt;
  }
}

taint::reason taint::of_content(const path& borrow, const std::string& member,
                                const span& at) const {
  const auto lent = borrows_.find(key(borrow));
  if (lent == borrows_.end()) return std::nullopt;
  const auto known = registered_.find(key(lent->second));
  if (known == registered_.end()) return own_element(lent->second);
  if (known->second || agreed_.contains(known->first)) return std::nullopt;
  const std::string name = spelling(all_, borrow);
  return rank_dependence{
      rank_dependence::kind::per_rank_datum, at, spelling(all_, lent->second),
      differs(known->first, member),
      member.empty() ? "" : member_spelling(name.empty() ? "" : "*" + name, member)};
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
  // Of a datum that differs, the elements do.
  if (begun_.contains(key(path{asked.arguments[0]->where.root, {}}))) return std::nullopt;
  return of_variable(asked.arguments[0]->where);
}

/// By the first part that differs; one that may differ tells less than one that is seen to.
taint::reason taint::of_any(const std::vector<value_ref>& parts) const {
  reason found;
  for (const value_ref& one : parts) {
    const reason why = of(one);
    if (why && why->seen) return why;
    if (!found) found = why;
  }
  return found;
}

/// By what its body has returned here, by what it returns whatever it is given, or by what it is
/// given. A number with a fraction is not followed on each rank: nobody is chosen by it.
taint::reason taint::of_call(const value& call) const {
  const auto known = values_.find(call.at);
  reason found = known == values_.end() ? of_function(call.text) : known->second;
  if (!found) found = of_any(call.arguments);
  const function* const callee = all_.find(call.text);
  if (found && found->why == rank_dependence::kind::rank && callee &&
      returns_fraction(all_, *callee))
    return rank_dependence{rank_dependence::kind::computed, call.at, callee->name};
  return found;
}

/// Of a function that returns what only one rank knows, whatever it is given.
taint::reason taint::of_function(const std::string& callee) const {
  constexpr int deepest = 3;
  const function* const called = depth_ < deepest ? all_.find(callee) : nullptr;
  if (!called) return std::nullopt;
  const auto [it, is_new] = results_.try_emplace(callee);
  if (is_new) it->second = taint(all_, *called, depth_ + 1).returned_;
  return it->second;
}

}  // namespace deed::check
