// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

#include <map>
#include <string>

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

/// One of many, by the number that it has when the program runs: an element of a container.
void look_in_run(const across_ranks& seen, const rank_run& run, const sink& report) {
  std::map<std::string, const event*> ended;
  for (const occurrence& o : run.calls) {
    const bool ends =
        o.call->words.has(verb::consumes, "this") && o.call->receiver.kind == noun::handle;
    for (const datum_use& use : o.uses) {
      if (use.what.registration == nullptr || !use.token) continue;
      const auto it = ended.find(use.what.name);
      if (it != ended.end()) {
        auto d = found_across(102, seen, o, "use of an unregistered handle",
                              {use.token->at, "used here"});
        d.origin = it->second->at;
        d.secondary.push_back({it->second->at, "unregistered here"});
        d.help = "take it out of the container, too";
        report(std::move(d));
        continue;
      }
      if (ends) ended.emplace(use.what.name, o.call);
    }
  }
}

void look_across(const across_ranks& seen, const sink& report) {
  const auto two = seen.runs.by_ranks.find(2);
  if (two == seen.runs.by_ranks.end()) return;
  for (const rank_run& run : two->second) look_in_run(seen, run, report);
}

}  // namespace

const rule d102{
    .code = 102,
    .title = "use of an unregistered handle",
    .explanation =
        "`std::move(h).unregister()` gives the datum back before the end of the scope.\n"
        "Nothing may name it afterwards.\n",
    .at_event = look,
    .across = look_across};

}  // namespace deed::check
