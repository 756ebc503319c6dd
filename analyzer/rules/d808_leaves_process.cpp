// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const codelet_view& seen, const sink& report) {
  for (const event* e : seen.does.ending) {
    diagnostic d;
    d.code = 808;
    d.how = severity::error;
    d.headline = "codelet " + quoted(seen.what.name) + " leaves the process";
    d.primary = {e->name_at, quoted(e->name) + " ends the process"};
    d.secondary.push_back({seen.what.name_at, "in codelet " + quoted(seen.what.name)});
    d.help = "throw an exception";
    report(std::move(d));
    return;
  }
}

}  // namespace

const rule d808{.code = 808,
                .title = "a task leaves the process",
                .explanation =
                    "The other ranks would wait for what this one never sends. An exception is "
                    "reported, and ends the\n"
                    "run in order.\n",
                .at_codelet = look};

}  // namespace deed::check
