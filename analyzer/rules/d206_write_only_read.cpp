// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const insertion& seen, const sink& report) {
  for (const auto& [token, parameter] : seen.fed) {
    if (!(token->access == mode::read_write && parameter->read && !parameter->write &&
          !parameter->unknown))
      continue;
    const std::string datum = quoted(spelling(seen.codelet.all, token->where));
    diagnostic d;
    d.code = 206;
    d.how = severity::performance;
    d.headline = datum + " is declared for writing and only read";
    d.primary = {token->at, "declared `read_write`"};
    d.secondary.push_back({parameter->read->object_at, "only read here"});
    d.help = "`deed::read` and a `const` parameter: readers run at the same time";
    report(std::move(d));
  }
}

}  // namespace

const rule d206{.code = 206,
                .title = "a write is declared, and only reads are done",
                .explanation = "Readers run at the same time; a writer waits for all of them.\n",
                .at_insertion = look};

}  // namespace deed::check
