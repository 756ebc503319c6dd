// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

/// The datum whose task opens a gate where it runs, if that is the same each time.
std::string written_by(const event& task) {
  for (const operand* token : tokens(task)) {
    if (writes(token->access)) return token->where.stable() ? key(token->where) : std::string();
  }
  return {};
}

/// Two tasks that run in the same place, and open the same gate.
void look_at_tasks(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::submits)) return;
  const std::string datum = written_by(m.now);
  for (const operand& o : m.now.arguments) {
    if (datum.empty() || !o.words.has(verb::opens)) continue;
    const fact* first = m.before.find(about::opener, key(o.where));
    for (const fact* f : m.before.all(about::leads)) {
      if (!first && f->other == key(o.where)) first = f;
    }
    const fact* const made = m.before.find(about::closed_gate, key(o.where));
    if (!first || written_by(*first->because) != datum) continue;
    if (!made || !opens_once(*made->because)) continue;
    auto d = found(703, certainty(*first), m,
                   "gate " + name_of(m, o.where) + " is opened too often", {o.at, "second"});
    d.secondary.push_back(
        {first->because->at, first->because == &m.now ? "first, one round before" : "first"});
    d.help = "make a gate for each of them, or let one of them open it";
    report(std::move(d));
  }
}

void look(const moment& m, const sink& report) {
  look_at_tasks(m, report);
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
  if (first->because != &m.now) d.edits.push_back({m.now.at, "", true});
  report(std::move(d));
}

}  // namespace

const rule d703{
    .code = 703,
    .title = "a gate is opened too often",
    .explanation = "A gate opens once. Work that has to wait again wants a gate of its own.\n",
    .at_event = look};

}  // namespace deed::check
