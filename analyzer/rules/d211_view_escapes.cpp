// SPDX-License-Identifier: MIT
#include "rules/escapes.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const codelet_view& seen, const sink& report) {
  for (const parameter_effects& p : seen.does.parameters) {
    // A right to enqueue is no view: D813.
    if (!p.escape || seen.all.var(p.id).kind == noun::right) continue;
    diagnostic d;
    d.code = 211;
    d.how = severity::error;
    d.headline = "view escapes codelet " + quoted(seen.what.name);
    d.primary = {p.escape->at, where_kept(seen.all, p)};
    d.secondary.push_back({seen.all.var(p.id).at, "view parameter"});
    d.notes.push_back("the storage may move when the task ends");
    d.help = "copy the values, or make it a datum";
    return report(std::move(d));
  }
}

}  // namespace

const rule d211{.code = 211,
                .title = "a view escapes its task",
                .explanation = "The storage of a datum may move or go away when the task ends.\n",
                .at_codelet = look};

}  // namespace deed::check
