// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::scope_end || !m.now.object.known()) return;
  const std::string ends = key(m.now.object);
  for (const fact* kept : m.before.all(about::in_place)) {
    if (kept->other_path.root != m.now.object.root || kept->subject == ends) continue;
    if (m.all.var(m.now.object.root).view) continue;  // The memory may live on.
    const fact* live = m.before.find(about::live, kept->subject);
    if (!live || !live->certain) continue;
    const std::string name = name_of(m, m.now.object);
    auto d = found(114, severity::error, m, name + " ends before its handle",
                   {kept->because->at, "registered here"});
    d.secondary.push_back({m.now.at, name + " ends here"});
    const operand* given = nullptr;
    for (const operand& o : kept->because->arguments) {
      if (o.storage.known()) given = &o;
    }
    const std::string moved = "std::move(" + spelling(m.all, kept->other_path) + ")";
    d.help = "register the value itself, the session keeps it: " + quoted(moved);
    if (given) d.edits.push_back({given->at, moved, true});
    return report(std::move(d));
  }
}

}  // namespace

const rule d114{.code = 114,
                .title = "memory ends before its handle",
                .explanation =
                    "`deed::in_place` registers the memory of the program itself: it has to live "
                    "as long as the handle.\n"
                    "A value that is moved in is kept by the session.\n",
                .at_event = look};

}  // namespace deed::check
