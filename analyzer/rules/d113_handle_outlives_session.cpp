// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::scope_end) return;
  if (!m.now.object.known() || m.all.var(m.now.object.root).kind != noun::session) return;
  for (const fact* home : m.before.all(about::of_session)) {
    if (home->other != key(m.now.object)) continue;
    const fact* live = m.before.find(about::live, home->subject);
    if (!live || !live->certain) continue;
    auto d = found(113, severity::error, m, "the handle outlives its session",
                   {home->because->at, "registered here, and lives on"});
    d.secondary.push_back({m.now.at, name_of(m, m.now.object) + " ends here"});
    d.help = "take the session by reference";
    return report(std::move(d));
  }
}

}  // namespace

const rule d113{
    .code = 113,
    .title = "a handle outlives its session",
    .explanation = "When a session ends, its data end. A handle that lives on names nothing.\n",
    .at_event = look};

}  // namespace deed::check
