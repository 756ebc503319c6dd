// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  const bool lends = m.now.words.has(verb::lends);
  if (m.now.kind != event_kind::call) return;
  if (!lends && !m.now.words.has(verb::submits) && !m.now.words.has(verb::posts)) return;
  for (const operand* token : tokens(m.now)) {
    // A task that reads the sum as well ends the reduction; who borrows it to write does not.
    if (token->access != mode::write && !(lends && writes(token->access))) continue;
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
