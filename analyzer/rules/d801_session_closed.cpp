// SPDX-License-Identifier: MIT
#include "flow/ranks.hpp"
#include "rules/registry.hpp"

#include <algorithm>

namespace deed::check {
namespace {

/// Asking for the rank or the size is allowed.
bool matters(const event& e) { return !e.words.has(verb::pure) && !e.words.has(verb::consumes); }

/// Whether a function knows that session and no other: its parameter, or the one that it makes.
bool knows_one_session(const moment& m, variable_id session) {
  const auto other = [&](variable_id id) {
    return id != 0 && id != session && m.all.var(id).kind == noun::session;
  };
  if (!is_closed(m.all, m.in) || std::ranges::any_of(m.in.parameters, other)) return false;
  return std::ranges::none_of(m.in.blocks, [&](const block& b) {
    return std::ranges::any_of(b.events, [&](const event& e) {
      return other(e.receiver.where.root) || other(e.result.root);
    });
  });
}

/// The end of the session that a request or a gate is of, also of one that came out of a container.
const fact* end_of_home(const moment& m, const operand& of) {
  const std::string name = key(of.where);
  if (m.before.find(about::completed, name)) return nullptr;  // That is D502, and that alone.
  if (const fact* const home = m.before.find(about::of_session, name))
    return m.before.find(about::closed, home->other);
  const auto closed = m.before.all(about::closed);
  const bool of_it = closed.size() == 1 && closed.front()->subject_path.parts.empty() &&
                     knows_one_session(m, closed.front()->subject_path.root);
  return of_it ? closed.front() : nullptr;
}

/// The end of the session that a call is made on, or that it is given.
const fact* end_of_session(const moment& m) {
  const operand& of = m.now.receiver;
  if (of.kind == noun::session) return m.before.find(about::closed, key(of.where));
  for (const operand& o : m.now.arguments) {
    if (o.kind == noun::session) return m.before.find(about::closed, key(o.where));
  }
  const bool made_by_one = of.kind == noun::request || of.kind == noun::gate;
  return made_by_one ? end_of_home(m, of) : nullptr;
}

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || m.now.words.empty() || !matters(m.now)) return;
  const fact* const closed = end_of_session(m);
  if (!closed) return;
  auto d =
      found(801, certainty(*closed), m,
            "session " + name_of(m, closed->subject_path) + " is closed", {m.now.at, "used here"});
  d.origin = closed->because->at;
  d.secondary.push_back({closed->because->at, "closed here"});
  d.help = "close last, or leave it to the destructor";
  report(std::move(d));
}

}  // namespace

const rule d801{.code = 801,
                .title = "a closed session is used",
                .explanation =
                    "After `close()` a session takes no work, and its requests and gates take no "
                    "calls. Its destructor closes\n"
                    "it, too.\n",
                .at_event = look};

}  // namespace deed::check
