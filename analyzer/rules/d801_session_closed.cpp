// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

/// Asking for the rank or the size is allowed.
bool matters(const event& e) { return !e.words.has(verb::pure) && !e.words.has(verb::consumes); }

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || m.now.receiver.kind != noun::session) return;
  if (m.now.words.empty() || !matters(m.now)) return;
  const fact* closed = m.before.find(about::closed, key(m.now.receiver.where));
  if (!closed) return;
  auto d =
      found(801, certainty(*closed), m,
            "session " + name_of(m, m.now.receiver.where) + " is closed", {m.now.at, "used here"});
  d.origin = closed->because->at;
  d.secondary.push_back({closed->because->at, "closed here"});
  d.help = "close last, or leave it to the destructor";
  report(std::move(d));
}

}  // namespace

const rule d801{
    .code = 801,
    .title = "a closed session is used",
    .explanation = "After `close()` a session takes no work. Its destructor closes it, too.\n",
    .at_event = look};

}  // namespace deed::check
