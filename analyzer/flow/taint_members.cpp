// SPDX-License-Identifier: MIT
#include "flow/inline.hpp"
#include "flow/taint.hpp"
#include "flow/typestate.hpp"

#include <algorithm>
#include <string>
#include <utility>

/// @file
/// Of records, data or not, the members that differ between ranks: a residual does, and the number
/// of steps beside it does not.

namespace deed::check {

namespace {

/// The member that the rest of a key names, up to an index: "mean.x" of ".mean.x[operator[],3]".
std::string member_in(std::string_view rest) {
  return std::string(rest.substr(1, rest.find('[') - 1));
}

/// Whether one member is the other, or a part of it.
bool overlap(const std::string& one, const std::string& other) {
  const auto [less, more] = std::minmax(one, other);
  return more.starts_with(less) &&
         (more.size() == less.size() || less.empty() || more[less.size()] == '.');
}

/// Whether it is a member of the object, and not all of it, nor an element.
bool is_member(const path& p) {
  return !p.parts.empty() && p.parts[0].what == part::kind::field && p.parts[0].name != "*" &&
         !p.parts[0].is_piece();
}

/// Whether an event may change a record otherwise than by one of its members.
bool changes_whole(const event& e, variable_id record) {
  const auto whole = [&](const path& p) { return p.root == record && !is_member(p); };
  const auto changed = [&](const operand& o) {
    return whole(o.where) && o.use != effect::none && o.use != effect::read;
  };
  switch (e.kind) {
    case event_kind::access:
      return whole(e.object) && e.use != effect::none && e.use != effect::read;
    case event_kind::assign:
      return whole(e.object);
    case event_kind::move:
    case event_kind::swap:
    case event_kind::hand_back:
      return whole(e.object) || whole(e.other);
    case event_kind::call:
      return changed(e.receiver) || std::ranges::any_of(e.arguments, changed);
    default:
      return false;
  }
}

bool changes_member(const event& e, variable_id record) {
  return e.kind == event_kind::assign && e.object.root == record && is_member(e.object);
}

/// What is done to it by a name of its elements, as a loop does, is not seen here.
bool changes_members_alone(const function& body, variable_id record) {
  bool members = false;
  for (const block& b : body.blocks) {
    for (const event& e : b.events) {
      if (changes_whole(e, record)) return false;
      members = members || changes_member(e, record);
    }
  }
  return members;
}

/// The arguments that become parameters of the body, in their order.
std::vector<const operand*> for_body(const event& task) {
  std::vector<const operand*> found;
  for (const operand& o : task.arguments) {
    if (o.kind == noun::token || o.kind == noun::value || o.words.has(verb::copies))
      found.push_back(&o);
  }
  return found;
}

/// The bodies of a task; none if one of them is not known, or takes other parameters.
std::vector<const function*> bodies_of(const program& all, const event& task) {
  std::vector<const function*> found;
  const std::size_t count = for_body(task).size();
  for (const operand& o : task.arguments) {
    if (o.kind != noun::codelet) continue;
    if (o.codelet < 0) return {};
    for (const std::string& usr : all.codelets[static_cast<std::size_t>(o.codelet)].bodies) {
      const function* const body = all.find(usr);
      if (!body || body->parameters.size() != count) return {};
      found.push_back(body);
    }
  }
  return found;
}

}  // namespace

bool taint::differs(const std::string& datum, const std::string& member) const {
  if (differing_.contains(datum)) return true;
  const auto known = members_.find(datum);
  return known != members_.end() &&
         std::ranges::any_of(known->second, [&](const auto& one) { return overlap(one, member); });
}

bool taint::note_differs(const std::string& datum, const std::string& member) {
  return member.empty() ? differing_.insert(datum).second : members_[datum].insert(member).second;
}

/// Of an object, a member, or all of it, and what they hold.
bool taint::note_member(const path& object, const std::string& member, const rank_dependence& why) {
  const std::string name = key(object) + (member.empty() ? "" : "." + member);
  if (!settled_.contains(name)) elements_.try_emplace(name, why);
  return note_variable(name, why);
}

/// The members of an object that are known to differ.
taint::members taint::members_of(const std::string& object) const {
  members found;
  const auto collect = [&](const std::map<std::string, rank_dependence>& known) {
    const std::string begin = object + ".";
    for (auto it = known.lower_bound(begin); it != known.end() && it->first.starts_with(begin);
         ++it)
      found.insert(member_in(std::string_view(it->first).substr(object.size())));
  };
  collect(variables_);
  collect(elements_);
  return found;
}

/// What a parameter stands for that is fed by this argument.
taint::differing taint::what_differs(const operand& argument) const {
  differing found;
  if (argument.kind != noun::token) {
    found.whole = of(argument.value);
    return found;
  }
  const std::string datum = key(argument.where);
  const rank_dependence of_datum{rank_dependence::kind::per_rank_datum, argument.at,
                                 spelling(all_, argument.where)};
  if (differing_.contains(datum)) found.whole = of_datum;
  if (reads(argument.access) && !found.whole) found.whole = own_element(argument.where);
  if (const auto known = members_.find(datum); known != members_.end()) {
    for (const std::string& member : known->second) found.members.emplace(member, of_datum);
  }
  return found;
}

/// The members of a record that a task makes differ. Nothing where all of it may: a number, an
/// array, what is not looked into.
std::optional<taint::members> taint::made_differ(const event& task, const operand& token) const {
  constexpr int deepest = 3;
  const auto bodies = bodies_of(all_, task);
  if (bodies.empty() || depth_ >= deepest) return std::nullopt;
  const auto arguments = for_body(task);
  const auto n = std::ranges::find(arguments, &token) - arguments.begin();
  members found;
  for (const function* body : bodies) {
    const variable_id record = body->parameters[static_cast<std::size_t>(n)];
    const auto opened = inlined(all_, *body);
    if (!changes_members_alone(*opened, record)) return std::nullopt;
    givens begin;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      begin[body->parameters[i]] = what_differs(*arguments[i]);
    const taint within(all_, *opened, depth_ + 1, begin);
    found.merge(within.members_of(key(path{record, {}})));
  }
  return found;
}

/// What stands in braces differs by its members.
bool taint::spread_to_registered(const event& e) {
  const std::string datum = key(e.result);
  bool changed = false, by_members = false;
  for (const operand& o : e.arguments) {
    if (o.kind != noun::none || !o.value || o.value->text != "members") continue;
    by_members = true;
    for (const value_ref& one : o.value->arguments) {
      if (of(one->arguments[0])) changed |= note_differs(datum, one->text.substr(1));
    }
  }
  return by_members ? changed : note_differs(datum, {});
}

/// `*view = own;`, `view->rest = own;`
bool taint::spread_to_lent(const event& e) {
  const auto lent = borrows_.find(key(path{e.object.root, {}}));
  if (lent == borrows_.end() || e.object.parts.empty()) return false;
  const std::string datum = key(lent->second), member = lent_member(e.object);
  bool changed = false;
  if (const reason why = of(e.result_value); why && why->seen)
    changed = note_differs(datum, member);
  if (!member.empty() || key(e.other).empty()) return changed;
  for (const std::string& one : members_of(key(e.other))) changed |= note_differs(datum, one);
  return changed;
}

/// An object is made of another one, of what stands in braces, or of a datum.
bool taint::spread_to_object(const path& to, const path& from, const value_ref& v) {
  bool changed = spread_to_copy(from, to);
  const value* made = v.get();
  while (made && made->what == value::kind::operation && made->text == "copy")
    made = made->arguments[0].get();
  if (!made || key(to).empty()) return changed;
  if (made->what == value::kind::operation && made->text == "members")
    changed |= spread_to_braces(to, *made);
  const auto lent = made->what == value::kind::content && made->text.empty()
                        ? borrows_.find(key(made->where))
                        : borrows_.end();
  if (lent == borrows_.end()) return changed;
  const auto known = members_.find(key(lent->second));
  if (known == members_.end()) return changed;
  for (const std::string& member : known->second) {
    const reason why = of_content(made->where, member, made->at);
    changed |= why && note_member(to, member, *why);
  }
  return changed;
}

/// What is known of the parts of an object is known of those of its copy.
bool taint::spread_to_copy(const path& from, const path& to) {
  const std::string object = key(from), copy = key(to);
  if (object.empty() || copy.empty() || object == copy) return false;
  constexpr std::ptrdiff_t deepest = 8;  // An object may be copied into a part of itself.
  std::map<std::string, rank_dependence> parts;
  const std::string begin = object + ".";
  for (auto it = variables_.lower_bound(begin);
       it != variables_.end() && it->first.starts_with(begin); ++it) {
    std::string part = copy + it->first.substr(object.size());
    if (std::ranges::count(part, '.') < deepest && !is_of_environment(it->second))
      parts.emplace(std::move(part), it->second);
  }
  bool changed = false;
  for (const auto& [part, why] : parts) changed |= note_variable(part, why);
  return changed;
}

bool taint::spread_to_braces(const path& object, const value& list) {
  bool changed = false;
  for (const value_ref& one : list.arguments) {
    const reason why = of(one->arguments[0]);
    if (why && !is_of_environment(*why)) changed |= note_member(object, one->text.substr(1), *why);
  }
  return changed;
}

}  // namespace deed::check
