// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const insertion& seen, const sink& report) {
  for (const auto& [token, parameter] : seen.fed) {
    if (!(token->kind == noun::token && token->where.known() && !parameter->used)) continue;
    const std::string datum = quoted(spelling(seen.codelet.all, token->where));
    diagnostic d;
    d.code = 205;
    d.how = severity::performance;
    d.headline = "access of " + datum + " is never used";
    d.primary = {token->at, datum + " is declared here"};
    d.secondary.push_back({seen.codelet.all.var(parameter->id).at, "this parameter is never used"});
    d.help = "remove it, it delays the task and moves data";
    report(std::move(d));
  }
}

}  // namespace

const rule d205{.code = 205,
                .title = "a declared access is never used",
                .explanation = "An access delays the task and moves data, used or not.\n",
                .at_insertion = look};

}  // namespace deed::check
