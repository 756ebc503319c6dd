// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::access || !m.now.object.known()) return;
  const path borrow{m.now.object.root, {}};
  if (m.all.var(borrow.root).kind != noun::borrow) return;
  const fact* ended = m.before.find(about::returned, key(borrow));
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

}  // namespace

const rule d308{.code = 308,
                .title = "a view is used after its borrow ended",
                .explanation =
                    "What a borrow gives is good while the borrow lives. A temporary borrow ends "
                    "with its statement.\n",
                .at_event = look};

}  // namespace deed::check
