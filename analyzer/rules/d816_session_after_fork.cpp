// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

#include <algorithm>
#include <set>

namespace deed::check {
namespace {

bool is_fork(const value_ref& v) {
  return v && v->what == value::kind::operation && v->text == "std fork";
}

/// The variables that hold what `fork` returned.
std::set<variable_id> forks_in(const function& f) {
  std::set<variable_id> found;
  for (const block& b : f.blocks) {
    for (const event& e : b.events) {
      if (e.kind == event_kind::assign && is_fork(e.result_value)) found.insert(e.object.root);
    }
  }
  return found;
}

/// Whether a condition asks for the result of `fork`, through one variable at most.
bool asks_fork(const std::set<variable_id>& forks, const value_ref& v) {
  if (!v) return false;
  if (is_fork(v)) return true;
  if (v->what == value::kind::variable && forks.contains(v->where.root)) return true;
  return std::ranges::any_of(v->arguments,
                             [&](const value_ref& one) { return asks_fork(forks, one); });
}

/// The way that the child goes: where `fork() == 0` holds.
int child_of(const block& b) {
  const value_ref& v = b.condition;
  const bool zero = v->what == value::kind::operation && (v->text == "==" || v->text == "!");
  return b.successors.size() == 2 ? b.successors[zero ? 0 : 1] : -1;
}

void look(const whole_function& seen, const sink& report) {
  const auto forks = forks_in(seen.opened);
  std::set<int> asking;
  for (std::size_t id = 0; id < seen.opened.blocks.size(); ++id) {
    if (asks_fork(forks, seen.opened.blocks[id].condition)) asking.insert(static_cast<int>(id));
  }
  if (asking.empty()) return;
  for (std::size_t id = 0; id < seen.opened.blocks.size(); ++id) {
    for (const event& e : seen.opened.blocks[id].events) {
      if (e.kind != event_kind::call || e.receiver.kind != noun::session) continue;
      for (const int decider : seen.decisions.deciders(static_cast<int>(id))) {
        const block& b = seen.opened.blocks[static_cast<std::size_t>(decider)];
        if (!asking.contains(decider)) continue;
        if (!reached(seen.opened, child_of(b), seen.decisions.meets_at(decider))
                 .contains(static_cast<int>(id))) {
          continue;
        }
        diagnostic d;
        d.code = 816;
        d.how = severity::warning;
        d.headline = "session is used after fork";
        d.primary = {e.name_at, "used in the child"};
        d.secondary.push_back({b.condition_at, "forked here"});
        d.help = "fork before the session is made";
        report(std::move(d));
      }
    }
  }
}

}  // namespace

const rule d816{.code = 816,
                .title = "a session is used after fork",
                .explanation =
                    "The child of a fork has the session's memory, and none of its workers and "
                    "connections.\n",
                .at_function = look};

}  // namespace deed::check
