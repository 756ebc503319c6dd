// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const codelet_view& seen, const sink& report) {
  const event* const thrown = seen.does.always_throws;
  if (!thrown) return;
  diagnostic d;
  d.code = 807;
  d.how = severity::error;
  d.headline = "codelet " + quoted(seen.what.name) + " throws each time that it runs";
  d.primary = {thrown->at, "every way through the body ends in an exception"};
  d.secondary.push_back({seen.what.name_at, "in codelet " + quoted(seen.what.name)});
  d.help = "catch it inside, or throw under a condition only";
  report(std::move(d));
}

}  // namespace

const rule d807{.code = 807,
                .title = "a task throws each time that it runs",
                .explanation =
                    "An exception that leaves a task ends the run, or cancels all that depends on "
                    "the task. Where it\n"
                    "depends on the data, that is what exceptions are for, and nothing is said.\n",
                .at_codelet = look};

}  // namespace deed::check
