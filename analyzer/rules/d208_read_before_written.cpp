// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call) return;
  for (const operand* token : tokens(m.now)) {
    if (!reads(token->access)) continue;
    const fact* unset = m.before.find(about::unset, key(token->where));
    if (!unset) continue;
    auto d =
        found(208, certainty(*unset), m, name_of(m, token->where) + " is read but nothing wrote it",
              {token->at, "read here"});
    d.origin = unset->because->at;
    d.secondary.push_back({unset->because->at, "registered here without a value"});
    d.help = "insert a writer first, or register a value";
    return report(std::move(d));
  }
}

}  // namespace

const rule d208{.code = 208,
                .title = "a datum is read and nothing wrote it",
                .explanation =
                    "`deed::uninitialised` registers memory without a value. The first task that "
                    "uses it has to write.\n",
                .at_event = look};

}  // namespace deed::check
