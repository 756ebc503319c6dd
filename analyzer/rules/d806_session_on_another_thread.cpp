// SPDX-License-Identifier: MIT
#include "flow/inline.hpp"
#include "rules/registry.hpp"

#include <set>

namespace deed::check {
namespace {

/// The first call in the body that belongs to the context of a session from outside.
const event* bound_call(const function& body, bool (*is_bound)(const event&)) {
  std::set<variable_id> own;
  for (const block& b : body.blocks) {
    for (const event& e : b.events) {
      if (e.result_kind == noun::session) own.insert(e.result.root);
    }
  }
  for (const block& b : body.blocks) {
    for (const event& e : b.events) {
      if (is_bound(e) && !own.contains(e.receiver.where.root)) return &e;
    }
  }
  return nullptr;
}

bool of_owner(const event& e) { return e.words.has(verb::owner_context); }

/// Whether a task may not make the call of a session, which it may know by a pointer. One that
/// waits is another mistake, D705.
bool not_in_task(const event& e) {
  return e.kind == event_kind::call && e.receiver.where.known() &&
         (of_owner(e) || matters_across_ranks(e)) && !e.words.has(verb::blocks);
}

void look(const whole_function& seen, const sink& report) {
  for (const block& b : seen.opened.blocks) {
    for (const event& e : b.events) {
      if (!e.starts_thread) continue;
      for (const operand& o : e.arguments) {
        const function* work = o.callable.empty() ? nullptr : seen.all.find(o.callable);
        if (!work) continue;
        const auto body = inlined(seen.all, *work);
        const event* call = bound_call(*body, of_owner);
        if (!call) continue;
        diagnostic d;
        d.code = 806;
        d.how = severity::error;
        d.headline = "session is used from another thread";
        d.primary = {call->name_at, quoted(call->name + "()") + " is called here"};
        d.secondary.push_back(
            {e.at, "on this thread; the session belongs to the one that made it"});
        d.help = "hand the work to the thread that made the session";
        report(std::move(d));
      }
    }
  }
}

void look_at_codelet(const codelet_view& seen, const sink& report) {
  const event* const call = bound_call(seen.body, not_in_task);
  if (!call) return;
  diagnostic d;
  d.code = 806;
  d.how = severity::error;
  d.headline = "session is used inside codelet " + quoted(seen.what.name);
  d.primary = {call->name_at, quoted(call->name + "()") + " is called here"};
  d.secondary.push_back({seen.what.name_at, "in codelet " + quoted(seen.what.name)});
  d.help = "return, and call it in the program";
  report(std::move(d));
}

}  // namespace

const rule d806{.code = 806,
                .title = "a session is used from another thread",
                .explanation =
                    "Tasks are inserted and waited for by the thread that made the session, and "
                    "not by tasks.\n",
                .at_function = look,
                .at_codelet = look_at_codelet};

}  // namespace deed::check
