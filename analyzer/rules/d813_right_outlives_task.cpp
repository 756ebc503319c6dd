// SPDX-License-Identifier: MIT
#include "rules/escapes.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const codelet_view& seen, const sink& report) {
  for (const parameter_effects& p : seen.does.parameters) {
    if (!p.escape || seen.all.var(p.id).kind != noun::right) continue;
    diagnostic d;
    d.code = 813;
    d.how = severity::error;
    d.headline = "right to enqueue outlives codelet " + quoted(seen.what.name);
    d.primary = {p.escape->at, where_kept(seen.all, p)};
    d.secondary.push_back({seen.all.var(p.id).at, "lent for the time of the body"});
    d.help = "use it in the task only";
    return report(std::move(d));
  }
}

}  // namespace

const rule d813{
    .code = 813,
    .title = "a right to enqueue outlives its task",
    .explanation = "What is enqueued when the body has returned is ordered with nothing.\n",
    .at_codelet = look};

}  // namespace deed::check
