// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::submits)) return;
  const operand *own = nullptr, *other = nullptr;
  for (const operand& o : m.now.arguments) {
    if (o.words.has(verb::places)) return;
    if (o.kind != noun::token || key(o.where).empty()) continue;
    const fact* per_rank = m.before.find(about::per_rank, key(o.where));
    const fact* live = m.before.find(about::live, key(o.where));
    if (per_rank && per_rank->certain) own = &o;
    if (live && live->certain && !per_rank) other = &o;
  }
  if (!own || !other) return;
  const std::string name = name_of(m, other->where);
  auto d = found(413, severity::error, m, "owned " + name + " in a per-rank task",
                 {other->at, name + " is on its owner only"});
  d.secondary.push_back(
      {own->at, name_of(m, own->where) + " is per rank: the task runs on every rank"});
  d.help = "`deed::on_each{deed::everywhere}`, so that all fetch " + name;
  report(std::move(d));
}

}  // namespace

const rule d413{.code = 413,
                .title = "an owned datum in a per-rank task",
                .explanation =
                    "A task with per-rank data runs on every rank that inserts it, with the data "
                    "of that rank. An owned\n"
                    "datum is on one rank only.\n",
                .at_event = look};

}  // namespace deed::check
