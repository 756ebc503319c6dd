// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::submits)) return;
  for (const operand* token : tokens(m.now)) {
    if (token->access != mode::write) continue;
    const fact* open = m.before.find(about::reducing, key(token->where));
    if (!open) continue;
    const std::string name = name_of(m, token->where);
    auto d = found(603, certainty(*open), m, "write to " + name + " while its reduction is open",
                   {token->at, "written here"});
    d.secondary.push_back({token_at(*open->because, open->subject), "last contribution here"});
    d.help = "close the reduction first: " +
             quoted("session.reduce(" + spelling(m.all, token->where) + ")");
    return report(std::move(d));
  }
}

}  // namespace

const rule d603{.code = 603,
                .title = "a write while a reduction is open",
                .explanation =
                    "Contributions are combined when somebody reads. A plain write before that "
                    "would lose them.\n",
                .at_event = look};

}  // namespace deed::check
