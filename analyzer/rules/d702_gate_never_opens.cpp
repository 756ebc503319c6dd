// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::waits, "all")) return;
  for (const fact* task : m.before.all(about::behind)) {
    const fact* closed = m.before.find(about::closed_gate, task->subject);
    if (!closed || m.before.find(about::opener, task->subject)) continue;
    bool opened = m.before.find(about::open_gate, task->subject) != nullptr;
    for (const fact* f : m.before.all(about::leads)) opened = opened || f->other == task->subject;
    if (opened) continue;
    const std::string gate = name_of(m, task->subject_path);
    const bool certain = task->certain && closed->certain;
    auto d = found(702, certain ? severity::error : severity::warning, m,
                   "gate " + gate + " never opens", {m.now.name_at, "waits for the task"});
    span waits_at = task->because->at;
    for (const operand& o : task->because->arguments) {
      if (o.words.has(verb::awaits)) waits_at = o.at;
    }
    d.secondary.push_back({waits_at, "waits behind " + gate + " here"});
    d.secondary.push_back({closed->because->at, "made here"});
    const std::string plain = spelling(m.all, task->subject_path);
    d.help = quoted(plain + ".open()") + " before the wait, or " +
             quoted("deed::opens(" + plain + ")") + " on a task or message";
    return report(std::move(d));
  }
}

}  // namespace

const rule d702{.code = 702,
                .title = "a gate never opens",
                .explanation =
                    "A task behind a gate starts when the gate opens. `wait()` waits for the task, "
                    "so something that is\n"
                    "pending has to open the gate.\n",
                .at_event = look};

}  // namespace deed::check
