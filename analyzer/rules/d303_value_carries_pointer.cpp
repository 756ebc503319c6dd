// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::submits)) return;
  for (const operand& o : m.now.arguments) {
    if (!o.words.has(verb::copies) || o.address.empty()) continue;
    auto d = found(303, severity::error, m, "value carries a pointer", {o.at, "this argument"});
    d.notes.push_back("member " + quoted(o.address) +
                      " holds an address, which means nothing when the task runs");
    d.help = "register what it points to and declare the access";
    report(std::move(d));
  }
}

}  // namespace

const rule d303{.code = 303,
                .title = "a value carries a pointer",
                .explanation =
                    "A value is copied to the rank that runs the task, and later: what it points "
                    "to may be gone by then.\n",
                .at_event = look};

}  // namespace deed::check
