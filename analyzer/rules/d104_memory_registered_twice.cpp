// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::registers)) return;
  for (const operand& o : m.now.arguments) {
    if (!o.storage.known()) continue;
    for (const fact* f : m.before.all(about::in_place)) {
      if (f->other != key(o.storage) || f->because == &m.now) continue;
      if (!m.before.find(about::live, f->subject)) continue;
      // Two pieces of one container may be disjoint; the whole overlaps every piece.
      const bool whole = !o.partial || !keeps_a_piece(*f->because);
      if (!whole) continue;
      const std::string first = name_of(m, f->subject_path);
      auto d = found(104, certainty(*f), m, name_of(m, o.storage) + " is registered twice",
                     {o.at, "overlaps " + first});
      d.secondary.push_back({f->because->at, first + " is registered here"});
      d.help = "register it once; `session.partition` gives disjoint parts";
      return report(std::move(d));
    }
  }
}

}  // namespace

const rule d104{
    .code = 104,
    .title = "memory is registered twice",
    .explanation =
        "Two handles for one piece of memory are two owners of it. Parts of one datum come from\n"
        "`session.partition`, which gives each of them a deed of its own.\n",
    .at_event = look};

}  // namespace deed::check
