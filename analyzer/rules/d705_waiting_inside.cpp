// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const codelet_view& seen, const sink& report) {
  for (const event* e : seen.does.blocking) {
    if (e->words.has(verb::blocks, "outside")) continue;
    diagnostic d;
    d.code = 705;
    d.how = severity::error;
    d.headline = "waiting inside codelet " + quoted(seen.what.name);
    d.primary = {e->name_at, quoted(e->name + "()") + " may block"};
    d.secondary.push_back({seen.what.name_at, "in codelet " + quoted(seen.what.name)});
    d.help = "return, and wait in the program";
    return report(std::move(d));
  }
}

}  // namespace

const rule d705{.code = 705,
                .title = "waiting inside a task",
                .explanation =
                    "A task that waits holds the worker that the others need. Codelets compute; "
                    "the program waits.\n",
                .at_codelet = look};

}  // namespace deed::check
