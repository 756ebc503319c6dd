// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

#include <algorithm>
#include <vector>

namespace deed::check {
namespace {

std::vector<const event*> around(const function& f, const control& decisions, int loop) {
  std::vector<int> blocks = decisions.region(loop);
  blocks.push_back(loop);
  std::vector<const event*> all;
  for (const int id : blocks) {
    for (const event& e : f.blocks[static_cast<std::size_t>(id)].events) all.push_back(&e);
  }
  return all;
}

bool asks_request(const event& e) {
  return e.kind == event_kind::call && e.receiver.kind == noun::request && e.words.empty();
}

/// To find the request in its list gives no other thread the time.
bool spins(const event& e, const event& test) {
  const bool finds = e.kind == event_kind::call && e.standard && e.receiver.where.known() &&
                     e.receiver.where.root == test.receiver.where.root;
  return finds || asks_request(e) || e.kind == event_kind::scope_end;
}

void look(const whole_function& seen, const sink& report) {
  const control decisions(seen.own);
  for (std::size_t i = 0; i < seen.own.blocks.size(); ++i) {
    if (seen.own.blocks[i].how != split::loop) continue;
    const auto events = around(seen.own, decisions, static_cast<int>(i));
    const auto test = std::ranges::find_if(events, [](const event* e) { return asks_request(*e); });
    if (test == events.end()) continue;
    if (!std::ranges::all_of(events, [&](const event* e) { return spins(*e, **test); })) continue;
    diagnostic d;
    d.code = 710;
    d.how = severity::performance;
    d.headline = "busy loop on a request";
    d.primary = {(*test)->at, "spins here"};
    const std::string name = spelling(seen.all, (*test)->receiver.where);
    d.help = quoted(name.empty() ? "wait()" : member_spelling(name, "wait()"));
    report(std::move(d));
  }
}

}  // namespace

const rule d710{.code = 710,
                .title = "a busy loop on a request",
                .explanation = "Asking again and again takes the core from the workers.\n",
                .at_function = look};

}  // namespace deed::check
