// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/own_splits.hpp"
#include "rules/registry.hpp"

#include <algorithm>

namespace deed::check {
namespace {

void tell(diagnostic d, const operand& owned, const std::string& name, const operand& own,
          const std::string& own_name, const sink& report) {
  d.headline = "owned " + name + " in a per-rank task";
  d.primary = {owned.at, name + " is on its owner only"};
  d.secondary.push_back({own.at, own_name + " is per rank: the task runs on every rank"});
  d.help = "`deed::on_each{deed::everywhere}`, so that all fetch " + name;
  report(std::move(d));
}

bool is_placed(const event& task) {
  return std::ranges::any_of(task.arguments,
                             [](const operand& o) { return o.words.has(verb::places); });
}

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::submits) || is_placed(m.now)) return;
  const operand *own = nullptr, *other = nullptr;
  for (const operand* o : tokens(m.now)) {
    if (key(o->where).empty()) continue;
    const fact* per_rank = m.before.find(about::per_rank, key(o->where));
    const fact* live = m.before.find(about::live, key(o->where));
    if (per_rank && per_rank->certain) own = o;
    if (live && live->certain && !per_rank) other = o;
  }
  if (!own || !other) return;
  tell(found(413, severity::error, m, "", {}), *other, name_of(m, other->where), *own,
       name_of(m, own->where), report);
}

/// Whether a datum is registered here, never with an owner, and its handle stands for no other.
bool is_per_rank(const function& f, const path& datum) {
  const std::string name = key(datum);
  bool found = false;
  for (const block& b : f.blocks) {
    for (const event& e : b.events) {
      const bool moves = e.kind == event_kind::move || e.kind == event_kind::swap;
      if (moves && (key(e.object) == name || key(e.other) == name)) return false;
      if (!e.words.has(verb::registers) || key(e.result) != name) continue;
      if (e.receiver.kind != noun::session || takes(e, noun::owner)) return false;
      found = true;
    }
  }
  return found && !name.empty();
}

/// Of a list whose data all have owners, an element that has no name: the one that a loop is at.
void look_at_elements(const whole_function& seen, const sink& report) {
  const auto named = [&](const path& p) {
    const std::string text = spelling(seen.all, p);
    return text.empty() ? "the datum" : quoted(text);
  };
  for (const block& b : seen.opened.blocks) {
    for (const event& e : b.events) {
      if (e.kind != event_kind::call || !e.words.has(verb::submits) || is_placed(e)) continue;
      const auto given = tokens(e);
      const auto other = std::ranges::find_if(given, [&](const operand* o) {
        return !o->where.stable() && seen.ranks.is_owned(o->where) && !is_of_own(seen, o->where);
      });
      const auto own = std::ranges::find_if(
          given, [&](const operand* o) { return is_per_rank(seen.opened, o->where); });
      if (other == given.end() || own == given.end()) continue;
      diagnostic d;
      d.code = 413;
      tell(std::move(d), **other, named((*other)->where), **own, named((*own)->where), report);
    }
  }
}

}  // namespace

const rule d413{.code = 413,
                .title = "an owned datum in a per-rank task",
                .explanation =
                    "A task with per-rank data runs on every rank that inserts it, with the data "
                    "of that rank. An owned\n"
                    "datum is on one rank only.\n",
                .at_event = look,
                .at_function = look_at_elements};

}  // namespace deed::check
