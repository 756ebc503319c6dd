// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::waits, "all")) return;
  for (const fact* waits : m.before.all(about::blocked)) {
    const fact* lent = m.before.find(about::borrowed, waits->subject);
    if (!lent) continue;
    const bool certain = waits->certain && lent->certain;
    if (!certain && key(waits->other_path).empty()) continue;  // Of some elements, perhaps others.
    const std::string view = spelling(m.all, lent->subject_path);
    const std::string datum = name_of(m, lent->other_path);
    auto d = found(306, certain ? severity::error : severity::warning, m,
                   quoted(m.now.name + "()") + " would wait for ever: " +
                       (view.empty() ? "a borrow of " + datum + " is alive"
                                     : quoted(view) + " still borrows " + datum),
                   {m.now.name_at, "waits for the task"});
    const span lent_at = view.empty() ? lent->because->at : m.all.var(lent->subject_path.root).at;
    d.secondary.push_back({lent_at, datum + " is borrowed here, for " +
                                        (writes(lent->access) ? "writing" : "reading")});
    d.secondary.push_back({token_at(*waits->because, waits->other_path),
                           waits->because->words.has(verb::posts)
                               ? "this message waits for the borrow to end"
                               : "this task waits for the borrow to end"});
    d.help = view.empty()
                 ? "end the borrow before the wait"
                 : "end the borrow first: close its block, or write " +
                       quoted(member_spelling(view, "release();")) + " before line " +
                       std::to_string((m.now.depth > 0 ? m.now.called_from : m.now.at).line);
    if (!view.empty() && certain && m.now.depth == 0) {
      span before = m.now.at;
      before.end_line = before.line;
      before.end_column = before.column;
      d.edits.push_back({before, member_spelling(view, "release();\n"), true, {}, view});
    }
    return report(std::move(d));
  }
}

}  // namespace

const rule d306{
    .code = 306,
    .title = "a borrow lives across a wait that needs it to end",
    .explanation =
        "Tasks that conflict with a borrow start when it has ended. If the borrow is still\n"
        "alive at `wait()`, the wait is for a task that cannot start.\n",
    .at_event = look};

}  // namespace deed::check
