// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  report_missing_steps(
      seen,
      {.code = 611,
       .wanted = [](const std::string& step) { return step == "migrate"; },
       .headline = [](const event&) { return std::string("migration on some ranks only"); },
       .help = "call it on every rank, at the same point"},
      report);
}

}  // namespace

const rule d611{.code = 611,
                .title = "a migration on some ranks only",
                .explanation = "A migration changes the owner. Every rank has to hear of it.\n",
                .across = look};

}  // namespace deed::check
