// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

#include <algorithm>

namespace deed::check {
namespace {

void look(const codelet_view& seen, const sink& report) {
  if (seen.does.locks) return;

  for (const event* e : seen.does.global_writes) {
    const path& written = e->kind == event_kind::call ? e->receiver.where : e->object;
    // A view that is stored is D211, and that alone.
    const bool view = std::ranges::any_of(seen.does.parameters, [&](const parameter_effects& p) {
      return p.escape && p.escape->at == e->at;
    });
    // So is memory that is a datum: D204.
    if (view || registration_of(seen.all, written.root)) continue;
    const std::string name = spelling(seen.all, written);
    diagnostic d;
    d.code = 810;
    d.how = severity::error;
    d.headline = "tasks race on global " + quoted(name);
    d.primary = {e->at, "written here"};
    if (e->depth > 0 && e->called_from.known())
      d.secondary.push_back({e->called_from, "called from here"});
    d.secondary.push_back({seen.what.name_at, "in codelet " + quoted(seen.what.name)});
    d.secondary.push_back(
        {seen.all.var(written.root).at, quoted(name) + " is shared by all tasks"});
    d.help = "make it a datum";
    report(std::move(d));
    return;
  }
}

}  // namespace

const rule d810{
    .code = 810,
    .title = "tasks race on a global",
    .explanation = "Two tasks may run at the same time, and only declared data keep them apart.\n",
    .at_codelet = look};

}  // namespace deed::check
