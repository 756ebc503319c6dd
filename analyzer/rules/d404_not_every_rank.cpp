// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const across_ranks& seen, const sink& report) {
  report_missing_steps(
      seen,
      {.code = 404,
       .wanted = [](const std::string& step) { return step != "flush" && step != "migrate"; },
       .headline =
           [](const event& call) { return "not every rank reaches " + quoted(call.name + "()"); },
       .help = "move it out of the branch"},
      report);
}

}  // namespace

const rule d404{.code = 404,
                .title = "not every rank reaches a step",
                .explanation = "Steps are calls that every rank makes, in the same order.\n",
                .across = look};

}  // namespace deed::check
