// SPDX-License-Identifier: MIT
#include "flow/evaluate.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace deed::check {
namespace {

using number = std::optional<std::int64_t>;

number binary(const std::string& op, std::int64_t a, std::int64_t b) {
  const auto wrap = [](auto x, auto y, auto f) {
    return static_cast<std::int64_t>(
        f(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)));
  };
  if (op == "+") return wrap(a, b, [](auto x, auto y) { return x + y; });
  if (op == "-") return wrap(a, b, [](auto x, auto y) { return x - y; });
  if (op == "*") return wrap(a, b, [](auto x, auto y) { return x * y; });
  if (op == "/") return b == 0 || b == -1 ? number() : number(a / b);
  if (op == "%") return b == 0 || b == -1 ? number() : number(a % b);
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  if (op == "&&") return a != 0 && b != 0;
  if (op == "||") return a != 0 || b != 0;
  if (op == "&") return a & b;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (op == "<<" && b >= 0 && b < 63) return wrap(a, b, [](auto x, auto y) { return x << y; });
  if (op == ">>" && b >= 0 && b < 63) return a >> b;
  if (op == "std operator==") return a == b;
  if (op == "std operator!=") return a != b;
  if (op == "std min") return std::min(a, b);
  if (op == "std max") return std::max(a, b);
  return std::nullopt;
}

/// The part of an element that says that it was made of nothing. Whether it is a container, is seen
/// when it grows.
constexpr const char* made_empty = ".#new";

constexpr int deepest = 8;  // Of calls within calls.

}  // namespace

std::string numbers::resolved(const path& where) {
  if (!where.known()) return {};
  std::string text = "v" + std::to_string(where.root);
  for (const part& step : where.parts) {
    if (step.what == part::kind::element) {
      const auto into = iterators_.find(text);
      const auto position = known_.find(text);
      if (step.name != "*" || into == iterators_.end() || !position->second.number) return {};
      text = into->second + "[operator[]," + std::to_string(*position->second.number) + "]";
      continue;
    }
    if (step.what == part::kind::field) {
      text += "." + step.name;
      continue;
    }
    if (const std::string last = last_of(text); step.name == "back" && !last.empty()) {
      text = last;
      continue;
    }
    if (const std::string element = returned_element(step, text); !element.empty()) {
      text = element;
      continue;
    }
    text += "[" + index_name(step);
    for (const value_ref& index : step.indices) {
      const std::string one = numbered(index);
      if (one.empty()) return {};
      text += "," + one;
    }
    text += "]";
  }
  return text;
}

/// The element at the end of a container; empty where it is not known how many there are.
std::string numbers::last_of(const std::string& container) const {
  const auto size = known_.find(container + ".#");
  if (size == known_.end() || !size->second.number || *size->second.number < 1) return {};
  return container + "[operator[]," + std::to_string(*size->second.number - 1) + "]";
}

/// An index by its number, or its numbers: `{i, j}`.
std::string numbers::numbered(const value_ref& index) {
  if (const outcome one = evaluate(index); one.number) return std::to_string(*one.number);
  static const std::set<std::string> several{"make", "copy", "list", "members"};
  if (!index || index->what != value::kind::operation) return {};
  const bool member = index->text.starts_with(".");
  if (index->arguments.empty() || (!member && !several.contains(index->text))) return {};
  std::string text;
  for (const value_ref& part : index->arguments) {
    const std::string one = numbered(part);
    if (one.empty()) return {};
    text += (text.empty() ? "" : ";") + one;
  }
  return text;
}

path numbers::length_of(path container) {
  container.parts.push_back({part::kind::field, "#", {}});
  return container;
}

void numbers::set(const path& where, outcome now) {
  if (!now.uniform) differs_within(where);
  const std::string name = resolved(where);
  if (name.empty()) return;
  if (now.whole) known_.erase_parts(name);
  known_.set(name, now);
}

namespace {

/// What a copy is made from; null of another value.
const value* copied(const value_ref& v) {
  const value* from = v.get();
  while (from && from->what == value::kind::operation && from->text == "copy")
    from = from->arguments[0].get();
  return from && from->what == value::kind::variable ? from : nullptr;
}

}  // namespace

void numbers::give(const path& object, const value_ref& v) {
  const value* const from = copied(v);
  set(object, evaluate(v));
  if (!v) return;
  if (from) return take_over(from->where, object);
  if (v->what == value::kind::uniform && v->text.empty()) set(length_of(object), {0, true});
  if (v->what != value::kind::operation || v->arguments.empty()) return;
  if (v->text == "list" || v->text == "members") give_elements(object, *v);
  if (v->text == "make") set(length_of(object), evaluate(v->arguments[0]));
}

/// What stands in braces.
void numbers::give_elements(const path& object, const value& list) {
  const bool members = list.text == "members";
  std::int64_t count = 0;
  for (const value_ref& one : list.arguments) {
    path part_of = object;
    if (members)
      part_of.parts.push_back({part::kind::field, one->text.substr(1), {}});
    else
      part_of.parts.push_back({part::kind::index, "operator[]", {constant(count++)}});
    if (members || keeps_elements(object.root)) give(part_of, members ? one->arguments[0] : one);
  }
  if (!members) set(length_of(object), {count, true});
}

/// A constant, or the list that a loop goes over.
bool numbers::keeps_elements(variable_id container) const {
  const variable& v = all_.var(container);
  return v.constant || v.name.starts_with("__range");
}

void numbers::take_over(const path& from, const path& to) {
  const std::string object = resolved(from), name = resolved(to);
  if (!object.empty() && object != name) give_parts(parts_of(object), name);
}

memory::parts numbers::parts_of(const std::string& object) const {
  if (object.empty()) return {};
  memory::parts found = known_.parts_of(object);
  for (auto& [name, one] : found) name.erase(0, object.size());
  return found;
}

void numbers::give_parts(const memory::parts& known, const std::string& to) {
  if (to.empty()) return;
  known_.erase_parts(to);
  for (const auto& [part, one] : known) known_.set(to + part, one);
}

/// Of the object that it is a part of, not all parts are the same on all ranks any more.
void numbers::differs_within(const path& where) {
  if (!where.known()) return;
  known_.differ_within("v" + std::to_string(where.root));
}

/// Whether it is what a range-based loop makes for itself: `__range1`, `__begin1`, `__end1`.
bool numbers::is_of_loop(const path& p) const {
  if (!p.known()) return false;
  const std::string& name = all_.var(p.root).name;
  return name.starts_with("__range") || name.starts_with("__begin") || name.starts_with("__end");
}

void numbers::forget_written(const event& call) {
  for (const operand& o : call.arguments) {
    const bool memory =
        call.words.empty() || (o.kind == noun::none && !call.words.has(verb::moves));
    // Where a loop is, is changed by nobody else.
    if (memory && o.use == effect::unknown && !is_of_loop(o.where)) forget(o.where);
  }
  // A loop only looks where its container begins and ends.
  const bool by_loop = call.standard && (call.name == "begin" || call.name == "end") &&
                       (is_of_loop(call.result) || is_of_loop(call.receiver.where));
  const effect use = by_loop ? effect::none : call.receiver.use;
  if (call.words.empty() && (use == effect::grow || use == effect::unknown))
    forget(call.receiver.where);
}

/// Of an object with parts, the part alone. Who is given one element may reach the others.
void numbers::forget(const path& where) {
  if (!where.known()) return;
  path part_of{where.root, {}};
  for (const part& step : where.parts) {
    if (step.what != part::kind::field) break;
    part_of.parts.push_back(step);
  }
  differs_within(part_of);
  const std::string name = resolved(part_of);
  known_.erase(name);
  known_.erase_parts(name);
}

path numbers::grow(const path& container, bool by_one) {
  differs_within(container);
  const std::string object = resolved(container), name = object + ".#";
  const bool is_new = known_.find(object + made_empty) != known_.end();
  known_.erase(object + made_empty);
  if (is_new && known_.find(name) == known_.end()) known_.set(name, {0, true});
  const auto it = known_.find(name);
  if (object.empty() || it == known_.end() || !it->second.number || !by_one) {
    known_.erase(name);
    return {};
  }
  outcome length = it->second;
  path element = container;
  element.parts.push_back({part::kind::index, "operator[]", {constant((*length.number)++)}});
  known_.set(name, length);
  return element;
}

void numbers::begin_element(const path& element) {
  const std::string name = resolved(element);
  if (!name.empty()) known_.set(name + made_empty, {1, true});
}

void numbers::may_differ(const path& object) {
  const std::string name = resolved(object);
  if (name.empty()) return;
  const auto it = known_.find(name);
  if (it != known_.end() && !it->second.number) known_.set(name, {});
  for (const auto& [part, one] : known_.parts_of(name)) {
    if (!one.number) known_.set(part, {});
  }
}

void numbers::grow_alike(const path& container) {
  forget(container);
  set(container, {std::nullopt, true});
}

bool numbers::iterate(const path& iterator, const value_ref& from) {
  if (!from || from->what != value::kind::operation || from->arguments.size() != 1) return false;
  const bool begin = from->text == "std begin", end = from->text == "std end";
  if ((!begin && !end) || from->arguments[0]->what != value::kind::variable) return false;
  const std::string container = resolved(from->arguments[0]->where), name = resolved(iterator);
  const auto size = known_.find(container + ".#");
  if (container.empty() || name.empty() || size == known_.end()) return false;
  known_.set(name, begin ? outcome{0, true} : size->second);
  iterators_[name] = container;
  return true;
}

void numbers::advance(const path& iterator) {
  const std::string name = resolved(iterator);
  const auto it = known_.find(name);
  if (it == known_.end() || !it->second.number) return;
  outcome next = it->second;
  ++*next.number;
  known_.set(name, next);
}

void numbers::exchange(const path& one, const path& other) {
  differs_within(one);
  differs_within(other);
  const std::string a = resolved(one), b = resolved(other);
  if (a.empty() || b.empty()) {
    forget(one);
    forget(other);
    return;
  }
  const auto of = [this](const std::string& name) {
    const auto it = known_.find(name);
    return it == known_.end() ? outcome{} : it->second;
  };
  const outcome first = of(a), second = of(b);
  known_.set(a, second);
  known_.set(b, first);
}

outcome numbers::look_up(const path& where) {
  if (where.known() && all_.var(where.root).unsteady) return {};
  if (const auto it = known_.find(resolved(where)); it != known_.end()) return it->second;
  // A part of what all ranks have the same in every part.
  path object = where;
  while (!object.parts.empty()) {
    const auto same = [this](const value_ref& index) { return evaluate(index).uniform; };
    const part& last = object.parts.back();
    if (last.what == part::kind::element || !std::ranges::all_of(last.indices, same)) return {};
    object.parts.pop_back();
    const auto it = known_.find(resolved(object));
    if (it != known_.end()) return {std::nullopt, it->second.whole, it->second.whole};
  }
  return {};
}

outcome numbers::evaluate(const value_ref& v) {
  if (!v) return {};
  switch (v->what) {
    case value::kind::constant:
      return {v->number, true};
    case value::kind::rank:
      return {rank_, false};
    case value::kind::ranks:
      return {ranks_, true};
    case value::kind::text:
    case value::kind::uniform:
      return {std::nullopt, true, true};
    case value::kind::rank_local:
      return {std::nullopt, asks_environment(v->text)};
    case value::kind::variable:
      return look_up(v->where);
    case value::kind::owner_of:
      return owner_of(v->where);
    case value::kind::guard:
      return guard(*v);
    case value::kind::content:
      return content(v->where);
    case value::kind::operation:
      return operation(*v);
    case value::kind::call:
      return call(*v);
    default:
      return {};
  }
}

outcome numbers::operation(const value& v) {
  const bool counts = v.text == "std size" || v.text == "std empty";
  if (counts && v.arguments.size() == 1 && v.arguments[0]->what == value::kind::variable) {
    const auto it = known_.find(resolved(v.arguments[0]->where) + ".#");
    if (it != known_.end() && v.text == "std size") return it->second;
    if (it != known_.end() && it->second.number)
      return {*it->second.number == 0, it->second.uniform};
  }
  // Of what may be written through iterators, no element is known.
  if (const path element = element_of(v); element.known() && keeps_elements(element.root)) {
    const auto it = known_.find(resolved(element));
    if (it != known_.end()) return it->second;
  }
  std::vector<outcome> given;
  for (const value_ref& one : v.arguments) given.push_back(evaluate(one));
  const bool uniform = std::ranges::all_of(given, &outcome::uniform);
  if (given.size() == 1) {
    if (v.text == "copy") return given[0];
    if (!given[0].number) return {std::nullopt, uniform};
    const std::int64_t x = *given[0].number;
    if (v.text == "!") return {x == 0, uniform};
    if (v.text == "neg") return {-x, uniform};
    if (v.text == "std abs") return {x < 0 ? -x : x, uniform};
    if (v.text == "make") return {x, uniform};
    if (v.text == "natural") return {x < 0 ? number() : number(x), uniform};
    return {std::nullopt, uniform};
  }
  if (given.size() == 3 && v.text == "?") {
    if (given[0].number) return given[*given[0].number != 0 ? 1 : 2];
    if (given[1].number && given[1].number == given[2].number) return {given[1].number, uniform};
    return {std::nullopt, uniform};
  }
  if (given.size() != 2) return {std::nullopt, uniform};
  const auto decides = [&](const outcome& one) {
    return one.number &&
           ((v.text == "&&" && *one.number == 0) || (v.text == "||" && *one.number != 0));
  };
  if (decides(given[0]) || decides(given[1])) return {v.text == "||", uniform};
  if (!given[0].number || !given[1].number) return {std::nullopt, uniform};
  return {binary(v.text, *given[0].number, *given[1].number), uniform};
}

/// Runs a function of the program on numbers, looks at it where it returns, and forgets all of it.
/// `object`: what it is called on.
template <class Look>
auto numbers::inside(const function& callee, const std::string& object,
                     const std::vector<value_ref>& given, const Look& look) {
  ++depth_;
  const std::size_t mark = known_.mark();
  const std::string self = callee.self != 0 ? resolved({callee.self, {}}) : std::string();
  const memory::parts of_object = parts_of(object);
  std::vector<std::pair<outcome, memory::parts>> passed;
  for (const value_ref& one : given) {
    const value* const from = copied(one);
    passed.emplace_back(evaluate(one), from ? parts_of(resolved(from->where)) : memory::parts());
  }
  for (std::size_t i = 0; i < callee.parameters.size() && i < passed.size(); ++i) {
    const path to{callee.parameters[i], {}};
    forget(to);
    set(to, passed[i].first);
    if (!passed[i].second.empty()) give_parts(passed[i].second, resolved(to));
  }
  if (!object.empty() && object != self) give_parts(of_object, self);
  bool same_way = true;
  const event* const leave = leave_of(callee, same_way);
  auto result = look(leave, same_way);
  known_.undo(mark);
  --depth_;
  return result;
}

/// `owner_of(i)`, `left_of(rank)`.
outcome numbers::call(const value& v) {
  const function* callee = all_.find(v.text);
  if (!callee || depth_ > deepest) return {};
  return inside(*callee, resolved(v.where), v.arguments, [&](const event* leave, bool same_way) {
    if (!leave || leave->thrown) return outcome{};
    const outcome now = evaluate(leave->result_value);
    return outcome{now.number, now.uniform && same_way, now.whole && same_way};
  });
}

/// The element that a function of the program returns: of `a(i, j)`, what stands in `a.all_`.
/// Empty where it is not known.
std::string numbers::returned_element(const part& step, const std::string& object) {
  const function* callee = step.function.empty() ? nullptr : all_.find(step.function);
  if (!callee || callee->self == 0 || depth_ > deepest) return {};
  return inside(*callee, object, step.indices, [&](const event* leave, bool) {
    const std::string self = resolved({callee->self, {}});
    const std::string element = leave ? resolved(leave->object) : std::string();
    return element.starts_with(self + ".") ? object + element.substr(self.size()) : std::string();
  });
}

std::optional<int> numbers::case_of(const block& b) {
  if (!b.condition || b.condition->text != "switch") return std::nullopt;
  const auto& cases = b.condition->arguments;
  const outcome asked = evaluate(cases[0]);
  std::optional<int> otherwise;
  for (std::size_t i = 0; asked.number && i < b.successors.size(); ++i) {
    const outcome one = evaluate(cases[i + 1]);
    if (one.number == asked.number) return b.successors[i];
    if (one.number) continue;
    if (cases[i + 1]->what != value::kind::unknown) return std::nullopt;
    otherwise = b.successors[i];
  }
  return otherwise;
}

/// Where a function returns; null if that is not known. `same_way`: whether all ranks return there.
const event* numbers::leave_of(const function& callee, bool& same_way) {
  int id = callee.entry;
  for (int steps = 0; id >= 0 && steps < 2000; ++steps) {
    const block& b = callee.blocks[static_cast<std::size_t>(id)];
    for (const event& e : b.events) {
      if (e.kind == event_kind::assign && !iterate(e.object, e.result_value))
        give(e.object, e.result_value);
      if (e.kind == event_kind::call) forget_written(e);
      if (e.kind == event_kind::move) set(e.other, {});
      if (e.kind == event_kind::swap) exchange(e.object, e.other);
      if (e.kind == event_kind::leave) return &e;
    }
    if (b.successors.empty()) break;
    if (b.successors.size() == 1) {
      id = b.successors[0];
      continue;
    }
    const outcome condition = evaluate(b.condition);
    same_way = same_way && condition.uniform;
    if (const std::optional<int> way = case_of(b)) {
      id = *way;
      continue;
    }
    if (!condition.number || b.how == split::other || b.successors.size() != 2) break;
    id = b.successors[*condition.number != 0 ? 0 : 1];
  }
  return nullptr;
}

}  // namespace deed::check
