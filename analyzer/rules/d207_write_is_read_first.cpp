// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const insertion& seen, const sink& report) {
  for (const auto& [token, parameter] : seen.fed) {
    if (!(token->access == mode::write && parameter->read_first)) continue;
    const std::string datum = quoted(spelling(seen.codelet.all, token->where));
    diagnostic d;
    d.code = 207;
    d.how = severity::error;
    d.headline = datum + " is read before it is written";
    d.primary = {token->at, "declared `write`: the old value is not brought"};
    d.secondary.push_back({parameter->read_first->object_at, "read here"});
    d.edits.push_back(
        {token->at, "deed::read_write(" + spelling(seen.codelet.all, token->where) + ")", true});
    d.help = quoted("deed::read_write(" + spelling(seen.codelet.all, token->where) + ")");
    report(std::move(d));
  }
}

}  // namespace

const rule d207{
    .code = 207,
    .title = "`write` data is read before it is written",
    .explanation = "`write` does not bring the old value: what is read first is anything.\n",
    .at_insertion = look};

}  // namespace deed::check
