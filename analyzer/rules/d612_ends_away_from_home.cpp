// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::consumes, "this")) return;
  const std::string name = key(m.now.receiver.where);
  const fact* away = m.before.find(about::migrated, name);
  if (!away || !m.before.find(about::in_place, name)) return;
  auto d = found(612, severity::warning, m,
                 name_of(m, m.now.receiver.where) + " ends away from its memory",
                 {m.now.at, "ends here"});
  d.secondary.push_back({away->because->at, "migrated here"});
  d.help = "migrate back to the owner of the memory first";
  report(std::move(d));
}

}  // namespace

const rule d612{.code = 612,
                .title = "a datum ends away from its memory",
                .explanation =
                    "Memory registered in place gets its value back at the end. A datum that has "
                    "migrated brings it home\n"
                    "first, at the cost of a message.\n",
                .at_event = look};

}  // namespace deed::check
