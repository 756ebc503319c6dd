// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  const bool method =
      m.now.kind == event_kind::call && m.now.receiver.kind == noun::handle && !m.now.words.empty();
  if (m.now.kind != event_kind::use && !method) return;
  const fact* ended = m.before.find_around(about::ended, key(m.now.object));
  if (!ended) return;
  auto d = found(102, certainty(*ended), m,
                 "use of unregistered handle " + name_of(m, m.now.object), {m.now.at, "used here"});
  d.origin = ended->because->at;
  d.secondary.push_back({ended->because->at, "unregistered here"});
  d.help = "remove the unregister, it happens at the end of the scope";
  // Of a function that others call, too, it may be the whole body.
  d.edits.push_back({ended->because->at, "", ended->because->depth == 0});
  report(std::move(d));
}

}  // namespace

const rule d102{
    .code = 102,
    .title = "use of an unregistered handle",
    .explanation =
        "`std::move(h).unregister()` gives the datum back before the end of the scope.\n"
        "Nothing may name it afterwards.\n",
    .at_event = look};

}  // namespace deed::check
