// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

/// The borrow that an access goes through: the borrow itself, or what a pointer was made of.
path borrow_behind(const moment& m) {
  const variable_id root = m.now.object.root;
  if (m.all.var(root).kind == noun::borrow) return {root, {}};
  const fact* into = m.before.find(about::reaches, key(path{root, {}}));
  return into && !m.now.object.parts.empty() ? into->other_path : path{};
}

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::access || !m.now.object.known()) return;
  const path borrow = borrow_behind(m);
  const fact* ended = borrow.known() ? m.before.find(about::returned, key(borrow)) : nullptr;
  if (!ended) return;
  const bool temporary = m.all.var(borrow.root).name.empty();
  auto d = found(308, certainty(*ended), m, "view used after its borrow ended",
                 {m.now.object_at, "used here"});
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
