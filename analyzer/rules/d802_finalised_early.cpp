// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (!m.now.words.has(verb::environment, "ends")) return;
  span made;
  std::string name;
  for (const fact* open : m.before.all(about::open)) {
    if (m.before.find(about::closed, open->subject)) continue;
    made = open->because->at;
    name = name_of(m, open->subject_path);
  }
  for (const variable_id id : m.in.parameters) {
    if (m.all.var(id).kind != noun::session || made.known()) continue;
    made = m.all.var(id).at;
    name = quoted(m.all.var(id).name);
  }
  if (!made.known()) return;
  auto d = found(802, severity::error, m, "MPI is finalised before the session ends",
                 {m.now.at, quoted(m.now.name) + " here"});
  d.secondary.push_back({made, name + " lives until the end of its scope"});
  d.help = "put the session in a block of its own";
  report(std::move(d));
}

}  // namespace

const rule d802{.code = 802,
                .title = "MPI is finalised before the session ends",
                .explanation = "The end of a session talks to the other ranks.\n",
                .at_event = look};

}  // namespace deed::check
