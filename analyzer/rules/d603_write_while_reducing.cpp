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
    // A task that reads the sum ends the reduction on every rank. Of a borrow, and of a message,
    // other ranks may not know.
    const bool ends = m.now.words.has(verb::submits) && !lends && token->access != mode::write;
    if (ends || token->access == mode::reduce) continue;
    const fact* open = m.before.find(about::reducing, key(token->where));
    if (!open) continue;
    const std::string name = name_of(m, token->where);
    const bool written = writes(token->access);
    auto d = found(603, certainty(*open), m,
                   (written ? "write to " : "use of ") + name + " while its reduction is open",
                   {token->at, written ? "written here" : "used here"});
    d.secondary.push_back({token_at(*open->because, open->subject), "last contribution here"});
    d.help = "close the reduction first: " +
             quoted("session.reduce(" + spelling(m.all, token->where) + ")");
    return report(std::move(d));
  }
}

}  // namespace

const rule d603{
    .code = 603,
    .title = "a write while a reduction is open",
    .explanation =
        "Contributions are combined when a task reads, or by session.reduce. A plain write "
        "before that would lose them; a borrow or a message would find a part of the "
        "sum.\n",
    .at_event = look};

}  // namespace deed::check
