// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::lends)) return;
  for (const operand* token : tokens(m.now)) {
    const std::string datum = key(token->where);
    if (datum.empty()) continue;
    for (const fact* first : m.before.all(about::borrowed)) {
      if (first->other != datum || first->because == &m.now) continue;
      if (!writes(first->access) && !writes(token->access)) continue;
      const std::string view = spelling(m.all, first->subject_path);
      auto d = found(307, certainty(*first), m, name_of(m, token->where) + " is borrowed twice",
                     {m.now.at, std::string("second borrow, for ") +
                                    (writes(token->access) ? "writing" : "reading")});
      d.secondary.push_back(
          {first->because->at,
           std::string("first borrow, for ") + (writes(first->access) ? "writing" : "reading")});
      d.help = view.empty() ? "end the first borrow before"
                            : "end the first borrow before: close its block, or " +
                                  quoted(member_spelling(view, "release()"));
      return report(std::move(d));
    }
  }
}

}  // namespace

const rule d307{
    .code = 307,
    .title = "a datum is borrowed twice, once for writing",
    .explanation =
        "A borrow for writing is the only one. The second borrow would wait for the first,\n"
        "which ends only after it: for ever.\n",
    .at_event = look};

}  // namespace deed::check
