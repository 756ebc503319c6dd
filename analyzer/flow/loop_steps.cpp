// SPDX-License-Identifier: MIT
#include "flow/loop_steps.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace deed::check {
namespace {

constexpr int deepest = 8;  // of values that are made of others

/// Whether a change of one may be a change of the other: neither is known to be elsewhere.
bool overlap(const path& one, const path& other) {
  if (one.root != other.root) return false;
  for (std::size_t i = 0; i < std::min(one.parts.size(), other.parts.size()); ++i) {
    const part &a = one.parts[i], &b = other.parts[i];
    if (a.what == part::kind::field && b.what == part::kind::field && a.name != b.name)
      return false;
  }
  return true;
}

/// Of the standard library: what depends on nothing but what it is given, and changes nothing.
bool is_plain(const std::string& operation) {
  static const std::set<std::string> names{"size",       "ssize",      "empty",     "begin",
                                           "end",        "cbegin",     "cend",      "min",
                                           "max",        "first",      "last",      "subspan",
                                           "operator==", "operator!=", "operator<", "operator>",
                                           "operator<=", "operator>=", "operator-", "operator+"};
  return !operation.starts_with("std ") || names.contains(operation.substr(4));
}

bool may_change(effect use, bool length) {
  if (length && (use == effect::write || use == effect::read_write)) return false;
  return use != effect::none && use != effect::read;
}

/// Whether a call may change what a variable is, or, of a list, how long.
bool is_changed_by(const event& call, const path& variable, bool length) {
  const auto changes = [&](const operand& o) {
    return overlap(o.where, variable) && may_change(o.use, length);
  };
  return changes(call.receiver) || std::ranges::any_of(call.arguments, changes);
}

}  // namespace

std::string extent_name(int dimension, const path& view) {
  return "extent " + std::to_string(dimension) + " of " + key(view);
}

std::string size_name(const path& list) { return "size of " + key(list); }

std::optional<linear> linear_of(const value_ref& v) {
  if (!v) return std::nullopt;
  if (v->what == value::kind::constant) return linear{"", v->number};
  if (v->what == value::kind::variable && v->where.stable()) return linear{key(v->where), 0};
  if (v->what == value::kind::call && v->text.starts_with("extent ") && v->where.known()) {
    return linear{v->text + " of " + key(v->where), 0};
  }
  if (v->what != value::kind::operation) return std::nullopt;
  if (v->text == "std size" && v->arguments.size() == 1 && v->arguments[0] &&
      v->arguments[0]->what == value::kind::variable) {
    return linear{size_name(v->arguments[0]->where), 0};
  }
  if ((v->text != "+" && v->text != "-") || v->arguments.size() != 2) return std::nullopt;
  const auto left = linear_of(v->arguments[0]), right = linear_of(v->arguments[1]);
  if (!left || !right) return std::nullopt;
  if (v->text == "-") {
    if (!right->base.empty()) return std::nullopt;
    return linear{left->base, left->offset - right->offset};
  }
  if (!left->base.empty() && !right->base.empty()) return std::nullopt;
  return linear{left->base + right->base, left->offset + right->offset};
}

bool loop_steps::has(int block) const {
  return std::ranges::count(decisions_.deciders(block), loop_) != 0;
}

bool loop_steps::leads_to(int from, int to) const {
  std::vector<char> seen(f_.blocks.size());
  std::vector<int> work{from};
  while (!work.empty()) {
    const int at = work.back();
    work.pop_back();
    for (const int next : f_.blocks[static_cast<std::size_t>(at)].successors) {
      if (next == to) return true;
      if (next < 0 || next == loop_ || std::exchange(seen[static_cast<std::size_t>(next)], 1))
        continue;
      work.push_back(next);
    }
  }
  return false;
}

bool loop_steps::begins_alike(int inner) const {
  return is_steady(f_.blocks[static_cast<std::size_t>(inner)].condition, inner, 0);
}

bool loop_steps::is_steady(const value_ref& v, int inner, int depth) const {
  if (!v || depth > deepest) return false;
  const auto steady = [&](const value_ref& one) { return is_steady(one, inner, depth + 1); };
  switch (v->what) {
    case value::kind::constant:
    case value::kind::rank:
    case value::kind::ranks:
      return true;
    case value::kind::uniform:
      return v->text.empty();  // Of a call, it may be another each time.
    case value::kind::variable:
      return is_steady(v->where, inner, depth);
    case value::kind::call:  // The rows of a tile are equally long.
      return (v->text.starts_with("extent ") || v->text.starts_with("index ")) &&
             is_steady_length(v->where, inner, depth);
    case value::kind::operation:
      if (asks_for_length(*v)) return is_steady_length(v->arguments[0]->where, inner, depth);
      return is_plain(v->text) && std::ranges::all_of(v->arguments, steady);
    default:
      return false;
  }
}

bool loop_steps::is_steady(const path& variable, int inner, int depth) const {
  if (!variable.known() || !are_steady_steps(variable, inner, depth)) return false;
  const auto& root = all_.var(variable.root);
  if (root.unsteady || (root.global && !root.constant)) return false;
  const auto values = values_of(variable, false, inner);
  return values && is_given_alike(*values, inner, depth);
}

bool loop_steps::is_steady_length(const path& list, int inner, int depth) const {
  if (!list.known() || !are_steady_steps(list, inner, depth)) return false;
  const auto values = values_of(list, true, inner);
  return values && is_given_alike(*values, inner, depth);
}

/// Whether a path leads to the same in every step: `l[i]` does not.
bool loop_steps::are_steady_steps(const path& way, int inner, int depth) const {
  return std::ranges::all_of(way.parts, [&](const part& step) {
    return step.what != part::kind::element &&
           std::ranges::all_of(step.indices, [&](const value_ref& index) {
             return is_steady(index, inner, depth + 1);
           });
  });
}

/// What a variable becomes in a step, but for what the inner loop counts by; nothing where it may
/// change in another way.
std::optional<std::vector<loop_steps::given>> loop_steps::values_of(const path& variable,
                                                                    bool length, int inner) const {
  std::vector<given> values;
  bool counts = false;
  const std::string name = key(variable);
  const auto counted_by = [&](int block) {
    return std::ranges::count(decisions_.deciders(block), inner) != 0;
  };
  for (std::size_t i = 0; i < f_.blocks.size(); ++i) {
    const int block = static_cast<int>(i);
    if (!has(block)) continue;
    for (const event& e : f_.blocks[i].events) {
      const bool here = overlap(e.object, variable);
      if (e.kind == event_kind::call) {
        const bool step = e.name == "operator++" && counted_by(block) && here;
        counts |= step;
        if (!step && is_changed_by(e, variable, length)) return std::nullopt;
      } else if (e.kind == event_kind::assign && here) {
        if (length && e.object.parts.size() > variable.parts.size()) continue;  // An element.
        if (name.empty() || key(e.object) != name) return std::nullopt;
        const auto made = linear_of(e.result_value);
        const bool step = made && made->base == name;
        if (step && !counted_by(block)) return std::nullopt;
        counts |= step;
        if (!step) values.push_back({&e, block});
      } else if (e.kind == event_kind::move || e.kind == event_kind::swap ||
                 e.kind == event_kind::hand_back) {
        if (here || overlap(e.other, variable)) return std::nullopt;
      }
    }
  }
  if (counts && values.empty()) return std::nullopt;  // It goes on where it was.
  return values;
}

/// Whether a variable keeps its value, or is given the same in each step, before the inner loop.
bool loop_steps::is_given_alike(const std::vector<given>& values, int inner, int depth) const {
  if (values.empty()) return true;
  const given& only = values.front();
  return values.size() == 1 && in_every_step(only.block) && leads_to(only.block, inner) &&
         is_steady(only.by->result_value, inner, depth + 1);
}

bool loop_steps::in_every_step(int block) const {
  const std::vector<int> by = decisions_.deciders(block);
  return std::ranges::none_of(by, [&](int id) { return id != loop_ && has(id); });
}

}  // namespace deed::check
