// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

/// Memory that an event looks at: an access, or a call of a member of what lies there.
path looked_at(const event& e) {
  if (e.kind == event_kind::access) return e.object;
  const bool member = e.kind == event_kind::call && e.words.empty();
  return member ? e.receiver.where : path{};
}

/// The borrow that memory is reached through: the borrow itself, or what a pointer was made of.
path borrow_behind(const moment& m, const path& memory) {
  const variable& through = m.all.var(memory.root);
  const bool member = m.now.kind == event_kind::call;
  if (through.kind == noun::borrow)
    return member && memory.parts.empty() ? path{} : path{memory.root, {}};
  const fact* into = m.before.find(about::reaches, key(path{memory.root, {}}));
  const bool follows = !memory.parts.empty() || (member && through.type.ends_with('*'));
  return into && follows ? into->other_path : path{};
}

void look(const moment& m, const sink& report) {
  const path memory = looked_at(m.now);
  const path borrow = memory.known() ? borrow_behind(m, memory) : path{};
  const fact* ended = borrow.known() ? m.before.find(about::returned, key(borrow)) : nullptr;
  if (!ended) return;
  const bool temporary = m.all.var(borrow.root).name.empty();
  auto d = found(308, certainty(*ended), m, "view used after its borrow ended",
                 {m.now.kind == event_kind::call ? m.now.at : m.now.object_at, "used here"});
  d.origin = ended->because->at;
  d.secondary.push_back({ended->because->at, temporary
                                                 ? "the borrow ends at the end of this statement"
                                                 : "the borrow ends here"});
  d.help =
      temporary ? "keep it: `auto view = session.borrow(…);`" : "use it before the borrow ends";
  report(std::move(d));
}

/// A view of what the function borrows itself, and gives away as the borrow ends.
void look_at_leave(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::leave || !m.now.result.known() || m.now.depth > 0) return;
  const path borrow{m.now.result.root, {}};
  if (!m.before.find(about::borrowed, key(borrow))) return;  // It has been moved on.
  const variable& lent = m.all.var(borrow.root);
  if (lent.kind != noun::borrow || lent.parameter || lent.reference || lent.global ||
      lent.persistent)
    return;
  auto d = found(308, severity::error, m, "view used after its borrow ended",
                 {m.now.object_at, "the caller gets the view, and the borrow ends here"});
  if (!lent.name.empty()) d.secondary.push_back({lent.at, "borrowed here"});
  d.help = "return the borrow itself, or a copy";
  report(std::move(d));
}

}  // namespace

const rule d308{.code = 308,
                .title = "a view is used after its borrow ended",
                .explanation =
                    "What a borrow gives is good while the borrow lives. A temporary borrow ends "
                    "with its statement.\n",
                .at_event = [](const moment& m, const sink& report) {
                  look(m, report);
                  look_at_leave(m, report);
                }};

}  // namespace deed::check
