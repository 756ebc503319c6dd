// SPDX-License-Identifier: MIT
#include "flow/taint.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

/// @file
/// Values in which the rank, or an owner, has a say.

namespace deed::check {

namespace {

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

}  // namespace

bool taint::asks_for_rank(const value_ref& v) const {
  return asks(v, [&](const value_ref& one) {
    const auto why = of(one);
    return why && why->why == rank_dependence::kind::rank;
  });
}

std::optional<rank_dependence> taint::own_reading(const value_ref& v) const {
  std::vector<value_ref> parts;
  split_up(v, parts);
  const auto of_rank = [&](const value_ref& one) { return asks_for_rank(one); };
  const auto own = [&](const value_ref& one) {
    return !of_rank(one) && (reads_content(one) || of(one));
  };
  const auto found = std::ranges::find_if(parts, own);
  if (found == parts.end() || std::ranges::none_of(parts, of_rank)) return std::nullopt;
  return rank_dependence{rank_dependence::kind::own_value, (*found)->at, named(all_, *found)};
}

}  // namespace deed::check
