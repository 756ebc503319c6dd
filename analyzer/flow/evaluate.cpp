// SPDX-License-Identifier: MIT
#include "flow/evaluate.hpp"

#include <algorithm>
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

/// Whether a name is of a part of an object.
bool is_within(const std::string& name, const std::string& object) {
  return name.size() > object.size() && name.starts_with(object) &&
         (name[object.size()] == '.' || name[object.size()] == '[');
}

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
    text += "[" + index_name(step);
    for (const value_ref& index : step.indices) {
      const outcome one = evaluate(index);
      if (!one.number) return {};
      text += "," + std::to_string(*one.number);
    }
    text += "]";
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
  auto it = now.whole ? known_.upper_bound(name) : known_.end();
  while (it != known_.end() && it->first.starts_with(name))
    it = is_within(it->first, name) ? known_.erase(it) : std::next(it);
  known_[name] = now;
}

/// Of the object that it is a part of, not all parts are the same on all ranks any more.
void numbers::differs_within(const path& where) {
  if (!where.known()) return;
  const std::string name = "v" + std::to_string(where.root);
  for (auto it = known_.lower_bound(name); it != known_.end() && it->first.starts_with(name); ++it)
    if (it->first == name || is_within(it->first, name)) it->second.whole = false;
}

void numbers::forget_written(const event& call) {
  for (const operand& o : call.arguments) {
    const bool memory = call.words.empty() || o.kind == noun::none;
    if (memory && o.use == effect::unknown) forget(o.where);
  }
  const effect use = call.receiver.use;
  if (call.words.empty() && (use == effect::grow || use == effect::unknown))
    forget(call.receiver.where);
}

void numbers::forget(const path& where) {
  if (!where.known()) return;
  const std::string name = "v" + std::to_string(where.root);
  for (auto it = known_.lower_bound(name); it != known_.end() && it->first.starts_with(name);) {
    const char after = it->first.size() > name.size() ? it->first[name.size()] : '.';
    it = after == '.' || after == '[' ? known_.erase(it) : std::next(it);
  }
}

path numbers::grow(const path& container, bool by_one) {
  differs_within(container);
  const std::string name = resolved(container) + ".#";
  const auto it = known_.find(name);
  if (name.size() < 3 || it == known_.end() || !it->second.number || !by_one) {
    if (it != known_.end()) known_.erase(it);
    return {};
  }
  path element = container;
  element.parts.push_back({part::kind::index, "operator[]", {constant((*it->second.number)++)}});
  return element;
}

bool numbers::iterate(const path& iterator, const value_ref& from) {
  if (!from || from->what != value::kind::operation || from->arguments.size() != 1) return false;
  const bool begin = from->text == "std begin", end = from->text == "std end";
  if ((!begin && !end) || from->arguments[0]->what != value::kind::variable) return false;
  const std::string container = resolved(from->arguments[0]->where), name = resolved(iterator);
  const auto size = known_.find(container + ".#");
  if (container.empty() || name.empty() || size == known_.end()) return false;
  known_[name] = begin ? outcome{0, true} : size->second;
  iterators_[name] = container;
  return true;
}

void numbers::advance(const path& iterator) {
  const auto it = known_.find(resolved(iterator));
  if (it != known_.end() && it->second.number) ++*it->second.number;
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
  std::swap(known_[a], known_[b]);
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
    case value::kind::uniform:
      return {std::nullopt, true, true};
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

outcome numbers::length(const value_ref& container) {
  if (!container) return {};
  if (container->text == "copy") return length(container->arguments[0]);
  const bool named = container->what == value::kind::variable;
  return named ? look_up(length_of(container->where)) : outcome{};
}

/// What an argument is, and how long, if it is a container.
std::pair<outcome, outcome> numbers::given(const value_ref& argument) {
  return {evaluate(argument), length(argument)};
}

/// A function of the program, run on numbers: `owner_of(i)`, `left_of(rank)`.
outcome numbers::call(const value& v) {
  const function* callee = all_.find(v.text);
  if (!callee || depth_ > 8) return {};
  ++depth_;
  const auto saved = known_;
  std::vector<std::pair<outcome, outcome>> passed;
  for (const value_ref& one : v.arguments) passed.push_back(given(one));
  for (std::size_t i = 0; i < callee->parameters.size() && i < passed.size(); ++i) {
    const path to{callee->parameters[i], {}};
    forget(to);
    set(to, passed[i].first);
    if (passed[i].second.number) set(length_of(to), passed[i].second);
  }
  const outcome result = returned_by(*callee);
  known_ = saved;
  --depth_;
  return result;
}

outcome numbers::returned_by(const function& callee) {
  bool same_way = true;
  int id = callee.entry;
  for (int steps = 0; id >= 0 && steps < 2000; ++steps) {
    const block& b = callee.blocks[static_cast<std::size_t>(id)];
    for (const event& e : b.events) {
      if (e.kind == event_kind::assign && !iterate(e.object, e.result_value))
        set(e.object, evaluate(e.result_value));
      if (e.kind == event_kind::call) forget_written(e);
      if (e.kind == event_kind::move) set(e.other, {});
      if (e.kind == event_kind::swap) exchange(e.object, e.other);
      if (e.kind != event_kind::leave) continue;
      const outcome now = e.thrown ? outcome{} : evaluate(e.result_value);
      return {now.number, now.uniform && same_way, now.whole && same_way};
    }
    if (b.successors.empty()) break;
    if (b.successors.size() == 1) {
      id = b.successors[0];
      continue;
    }
    const outcome condition = evaluate(b.condition);
    if (!condition.number || b.how == split::other || b.successors.size() != 2) break;
    same_way = same_way && condition.uniform;
    id = b.successors[*condition.number != 0 ? 0 : 1];
  }
  return {};
}

}  // namespace deed::check
