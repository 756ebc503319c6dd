// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const program& all, const sink& report) {
  for (variable_id id = 1; id < all.variables.size(); ++id) {
    const variable& v = all.var(id);
    if ((v.kind != noun::session && v.kind != noun::handle) || !(v.global || v.persistent))
      continue;
    if (v.reference || v.parameter) continue;
    diagnostic d;
    d.code = 815;
    d.how = severity::warning;
    d.headline = std::string(v.kind == noun::session ? "session " : "handle ") + quoted(v.name) +
                 " has static storage";
    d.primary = {v.at, "destroyed after `main`"};
    d.help = "a local of `main`, or `deed::run`";
    report(std::move(d));
  }
}

}  // namespace

const rule d815{.code = 815,
                .title = "a session or handle with static storage",
                .explanation = "It would be destroyed after `main`, when MPI has ended.\n",
                .at_program = look};

}  // namespace deed::check
