// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::waits, "all")) return;
  for (const fact* one : m.before.all(about::leads)) {
    for (const fact* back : m.before.all(about::leads)) {
      if (one->other != back->subject || back->other != one->subject) continue;
      if (one->because->at > back->because->at) continue;
      bool closed = true;
      for (const std::string& gate : {one->subject, one->other}) {
        closed = closed && m.before.find(about::closed_gate, gate) &&
                 !m.before.find(about::opener, gate);
      }
      if (!closed) continue;
      const std::string a = name_of(m, one->subject_path), b = name_of(m, one->other_path);
      auto d = found(704, one->certain && back->certain ? severity::error : severity::warning, m,
                     "gates " + a + " and " + b + " wait in a circle",
                     {back->because->at, "behind " + b + ", opens " + a});
      d.secondary.push_back({one->because->at, "behind " + a + ", opens " + b});
      d.help = "open one of them from outside";
      return report(std::move(d));
    }
  }
}

}  // namespace

const rule d704{
    .code = 704,
    .title = "gates wait in a circle",
    .explanation =
        "Each gate is opened by a task that waits behind the other. Neither task can start.\n",
    .at_event = look};

}  // namespace deed::check
