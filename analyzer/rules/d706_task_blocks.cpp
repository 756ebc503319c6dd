// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const codelet_view& seen, const sink& report) {
  for (const event* e : seen.does.blocking) {
    if (!e->words.has(verb::blocks, "outside")) continue;
    diagnostic d;
    d.code = 706;
    d.how = severity::warning;
    d.headline = "codelet " + quoted(seen.what.name) + " blocks its worker";
    d.primary = {e->name_at, quoted(e->name) + " blocks"};
    d.secondary.push_back({seen.what.name_at, "in codelet " + quoted(seen.what.name)});
    d.help = "use messages and gates";
    return report(std::move(d));
  }
}

}  // namespace

const rule d706{.code = 706,
                .title = "a task blocks its worker",
                .explanation = "A worker that sleeps or waits for the outside runs nothing else.\n",
                .at_codelet = look};

}  // namespace deed::check
