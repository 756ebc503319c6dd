// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  report_missing_steps(
      seen,
      {.code = 610,
       .wanted = [](const std::string& step) { return step == "flush"; },
       .headline = [](const event&) { return std::string("flush on some ranks only"); },
       .help = "a flush is a step: every rank; values are right without one"},
      report);
}

}  // namespace

const rule d610{.code = 610,
                .title = "a flush on some ranks only",
                .explanation =
                    "A flush forgets copies. A rank that does not hear of it believes that they "
                    "are still there.\n",
                .across = look};

}  // namespace deed::check
