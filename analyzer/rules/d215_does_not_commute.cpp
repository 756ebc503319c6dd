// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const insertion& seen, const sink& report) {
  for (const auto& [token, parameter] : seen.fed) {
    if (!(token->access == mode::commute && parameter->assignment && !parameter->read &&
          !parameter->unknown))
      continue;
    const std::string datum = quoted(spelling(seen.codelet.all, token->where));
    diagnostic d;
    d.code = 215;
    d.how = severity::warning;
    d.headline = "commuting access of " + datum + " does not commute";
    d.primary = {parameter->assignment->at, "assigned, not combined"};
    d.secondary.push_back({token->at, "declared `commute` here"});
    d.help = "combine (`x += y`), or declare `deed::write`";
    report(std::move(d));
  }
}

}  // namespace

const rule d215{.code = 215,
                .title = "a commuting access does not commute",
                .explanation = "Commuting tasks run in any order. The last assignment would win.\n",
                .at_insertion = look};

}  // namespace deed::check
