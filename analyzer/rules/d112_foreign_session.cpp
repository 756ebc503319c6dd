// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || m.now.receiver.kind != noun::session) return;
  const std::string here = key(m.now.receiver.where);
  if (here.empty() || !m.now.receiver.where.parts.empty()) return;  // A member may be a reference.
  for (const operand& o : m.now.arguments) {
    if (o.kind != noun::token && o.kind != noun::handle) continue;
    const fact* home = m.before.find(about::of_session, key(o.where));
    if (!home || home->other == here || !home->certain || !home->other_path.parts.empty()) continue;
    const std::string name = name_of(m, o.where), session = name_of(m, home->other_path);
    auto d = found(112, severity::error, m, name + " is a handle of another session",
                   {o.at, name + " belongs to " + session});
    d.secondary.push_back({home->because->at, "registered here"});
    d.help = "insert the task in " + session + ", or pass the value on";
    return report(std::move(d));
  }
}

}  // namespace

const rule d112{.code = 112,
                .title = "a handle of another session",
                .explanation =
                    "A handle belongs to the session that registered it. Another session knows "
                    "neither its owner nor\n"
                    "its version.\n",
                .at_event = look};

}  // namespace deed::check
