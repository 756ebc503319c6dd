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
    text += "[" + step.name;
    for (const value_ref& index : step.indices) {
      const outcome one = evaluate(index);
      if (!one.number) return {};
      text += "," + std::to_string(*one.number);
    }
    text += "]";
  }
  return text;
}

void numbers::set(const path& where, outcome now) {
  if (const std::string name = resolved(where); !name.empty()) known_[name] = now;
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
  const std::string a = resolved(one), b = resolved(other);
  if (a.empty() || b.empty()) {
    forget(one);
    forget(other);
    return;
  }
  std::swap(known_[a], known_[b]);
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
      return {std::nullopt, true};
    case value::kind::variable: {
      const auto it = known_.find(resolved(v->where));
      return it == known_.end() ? outcome{} : it->second;
    }
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
  if (v.text == "std size" && v.arguments.size() == 1 &&
      v.arguments[0]->what == value::kind::variable) {
    const auto it = known_.find(resolved(v.arguments[0]->where) + ".#");
    if (it != known_.end()) return it->second;
  }
  std::vector<outcome> given;
  for (const value_ref& one : v.arguments) given.push_back(evaluate(one));
  const bool uniform = std::ranges::all_of(given, &outcome::uniform);
  if (given.size() == 1) {
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

/// A function of the program, run on numbers: `owner_of(i)`, `left_of(rank)`.
outcome numbers::call(const value& v) {
  const function* callee = all_.find(v.text);
  bool uniform = true;
  std::vector<outcome> given;
  for (const value_ref& one : v.arguments) {
    given.push_back(evaluate(one));
    uniform = uniform && given.back().uniform;
  }
  if (!callee || depth_ > 8) return {};
  ++depth_;
  const auto saved = known_;
  for (std::size_t i = 0; i < callee->parameters.size() && i < given.size(); ++i) {
    known_["v" + std::to_string(callee->parameters[i])] = given[i];
  }
  outcome result{std::nullopt, false};
  int id = callee->entry;
  for (int steps = 0; id >= 0 && steps < 2000; ++steps) {
    const block& b = callee->blocks[static_cast<std::size_t>(id)];
    bool returned = false;
    for (const event& e : b.events) {
      if (e.kind == event_kind::assign) set(e.object, evaluate(e.result_value));
      if (e.kind == event_kind::leave) {
        result = e.thrown ? outcome{} : evaluate(e.result_value);
        returned = true;
      }
    }
    if (returned || b.successors.empty()) break;
    if (b.successors.size() == 1) {
      id = b.successors[0];
      continue;
    }
    const outcome condition = evaluate(b.condition);
    if (!condition.number || b.how == split::other || b.successors.size() != 2) break;
    id = b.successors[*condition.number != 0 ? 0 : 1];
  }
  known_ = saved;
  --depth_;
  return {result.number, result.number ? uniform : false};
}

}  // namespace deed::check
