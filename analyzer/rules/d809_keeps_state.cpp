// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const codelet_view& seen, const sink& report) {
  for (const event* e : seen.does.remembering) {
    diagnostic d;
    d.code = 809;
    d.how = severity::warning;
    d.headline = "codelet " + quoted(seen.what.name) + " keeps state of its own";
    d.primary = {e->at, e->kind == event_kind::call ? quoted(e->name) + " remembers between calls"
                                                    : "this static"};
    d.secondary.push_back({seen.what.name_at, "in codelet " + quoted(seen.what.name)});
    d.help = "make it scratch or a datum";
    report(std::move(d));
    return;
  }
}

}  // namespace

const rule d809{.code = 809,
                .title = "a codelet keeps state of its own",
                .explanation =
                    "A task runs on any worker of any rank: what it remembers is not what the last "
                    "task remembered.\n",
                .at_codelet = look};

}  // namespace deed::check
