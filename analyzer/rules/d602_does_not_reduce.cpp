// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace deed::check {
namespace {

constexpr int deepest = 3;

/// A place, and what is wrong there.
using fault = std::pair<span, std::string>;

struct grouping {
  std::string_view name, sign;  // `minus`, `-`
};
constexpr std::array not_associative{grouping{"minus", "-"}, grouping{"divides", "/"},
                                     grouping{"modulus", "%"}};

std::string not_equal(std::string_view sign) {
  const std::string s(" " + std::string(sign) + " ");
  return "(a" + s + "b)" + s + "c is not a" + s + "(b" + s + "c)";
}

bool is(const value_ref& v, variable_id wanted) {
  return v && v->what == value::kind::variable && v->where.root == wanted && v->where.parts.empty();
}

/// What a function of two values gives back, if that depends on how they are grouped.
std::optional<fault> in_result(const program& all, const function& f, int depth) {
  if (f.parameters.size() != 2 || depth > deepest) return std::nullopt;
  const auto of_both = [&](const value& v) {
    return v.arguments.size() == 2 &&
           ((is(v.arguments[0], f.parameters[0]) && is(v.arguments[1], f.parameters[1])) ||
            (is(v.arguments[0], f.parameters[1]) && is(v.arguments[1], f.parameters[0])));
  };
  for (const block& b : f.blocks) {
    for (const event& e : b.events) {
      if (e.kind != event_kind::leave || !e.result_value || !of_both(*e.result_value)) continue;
      const value& v = *e.result_value;
      const auto known = std::ranges::find(not_associative, v.text, &grouping::sign);
      if (v.what == value::kind::operation && known != not_associative.end())
        return fault{v.at, not_equal(known->sign)};
      const function* const callee = v.what == value::kind::call ? all.find(v.text) : nullptr;
      if (callee == nullptr) continue;
      if (auto inside = in_result(all, *callee, depth + 1)) return inside;
    }
  }
  return std::nullopt;
}

/// `void(T& sum, const T& more)` that never looks at `sum`: the last contribution is the result.
std::optional<fault> in_effect(const program& all, const function& f) {
  if (f.parameters.size() != 2) return std::nullopt;
  const body_effects does = effects_of(all, f, f);
  const parameter_effects& sum = does.parameters.front();
  if (!all.var(sum.id).reference || !sum.assignment || sum.read || sum.unknown) return std::nullopt;
  return fault{sum.assignment->at, "the old value is not looked at"};
}

std::optional<fault> wrong_with(const program& all, const operand& given) {
  if (const auto known = std::ranges::find(not_associative, given.name, &grouping::name);
      known != not_associative.end()) {
    return fault{given.at, not_equal(known->sign)};
  }
  const function* const body = given.callable.empty() ? nullptr : all.find(given.callable);
  if (body == nullptr) return std::nullopt;
  if (auto found = in_result(all, *body, 0)) return found;
  return in_effect(all, *body);
}

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::registers)) return;
  for (const operand& given : m.now.arguments) {
    if (!given.words.has(verb::calls)) continue;
    const auto wrong = wrong_with(m.all, given);
    if (!wrong) continue;
    auto d = found(602, severity::warning, m, "the operation does not reduce",
                   {wrong->first, wrong->second});
    if (wrong->first != given.at) d.secondary.push_back({given.at, "it is given here"});
    d.help = "an operation whose order does not matter";
    report(std::move(d));
  }
}

}  // namespace

const rule d602{.code = 602,
                .title = "an operation does not reduce",
                .explanation =
                    "Contributions come in groups: per worker, per rank, then up a tree. Where the "
                    "grouping matters,\n"
                    "the number of ranks decides which result you get.\n",
                .at_event = look};

}  // namespace deed::check
