// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || m.now.receiver.kind != noun::gate) return;
  if (!m.now.words.has(verb::opens)) return;
  const fact* first = m.before.find(about::open_gate, key(m.now.receiver.where));
  if (!first) return;
  auto d = found(703, certainty(*first), m,
                 "gate " + name_of(m, m.now.receiver.where) + " is opened too often",
                 {m.now.at, "second"});
  d.secondary.push_back(
      {first->because->at, first->because == &m.now ? "first, one round before" : "first"});
  d.help = "remove it";
  d.edits.push_back({m.now.at, "", true});
  report(std::move(d));
}

}  // namespace

const rule d703{
    .code = 703,
    .title = "a gate is opened too often",
    .explanation = "A gate opens once. Work that has to wait again wants a gate of its own.\n",
    .at_event = look};

}  // namespace deed::check
