// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  const bool method =
      m.now.kind == event_kind::call && m.now.receiver.kind == noun::handle && !m.now.words.empty();
  if (m.now.kind != event_kind::use && !method) return;
  const fact* moved = m.before.find_around(about::moved, key(m.now.object));
  if (!moved || (!moved->certain && is_numbered(moved->subject_path))) return;
  const std::string name = name_of(m, m.now.object);
  auto d = found(101, certainty(*moved), m, "use of moved handle " + name,
                 {m.now.at, "used here after the move"});
  const path& into = moved->because->other;
  const std::string target = spelling(m.all, into);
  const bool named = moved->because->kind == event_kind::move && !target.empty();
  d.origin = moved->because->at;
  d.secondary.push_back(
      {moved->because->at, named ? "moved here, into " + quoted(target) : "moved here"});
  // A name that is gone by now, or of another function, is no help.
  const bool usable = named && m.now.depth == 0 && m.before.find(about::live, key(into));
  d.help = usable ? "use " + quoted(target) + ", or insert the task before the move"
                  : "insert the task before the move";
  if (usable) d.edits.push_back({m.now.object_at, target, true, spelling(m.all, m.now.object)});
  report(std::move(d));
}

}  // namespace

const rule d101{
    .code = 101,
    .title = "use of a moved handle",
    .explanation =
        "A handle is the only deed to its datum. After `std::move` the name is empty and\n"
        "the deed is elsewhere; a token made of it names nothing.\n",
    .at_event = look};

}  // namespace deed::check
