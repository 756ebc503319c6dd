// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/registry.hpp"
#include "rules/unset_lists.hpp"

namespace deed::check {
namespace {

void explain(diagnostic& d, const event& registration) {
  d.origin = registration.at;
  d.secondary.push_back({registration.at, "registered here without a value"});
  d.help = "insert a writer first, or register a value";
}

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call) return;
  for (const operand* token : tokens(m.now)) {
    if (!reads(token->access)) continue;
    const fact* unset = m.before.find(about::unset, key(token->where));
    if (!unset) continue;
    auto d =
        found(208, certainty(*unset), m, name_of(m, token->where) + " is read but nothing wrote it",
              {token->at, "read here"});
    explain(d, *unset->because);
    return report(std::move(d));
  }
}

void look_at_lists(const whole_function& seen, const sink& report) {
  for_each_unset_read(seen, [&](const unset_read& found) {
    const std::string name = spelling(seen.all, found.token->where);
    diagnostic d;
    d.code = 208;
    d.headline = (name.empty() ? "the datum" : quoted(name)) + " is read but nothing wrote it";
    d.primary = {found.token->at, "read here"};
    if (found.call->depth > 0) d.secondary.push_back({found.call->called_from, "called from here"});
    explain(d, *found.registration);
    report(std::move(d));
  });
}

}  // namespace

const rule d208{.code = 208,
                .title = "a datum is read and nothing wrote it",
                .explanation =
                    "`deed::uninitialised` registers memory without a value. The first task that "
                    "uses it has to write.\n",
                .at_event = look,
                .at_function = look_at_lists};

}  // namespace deed::check
