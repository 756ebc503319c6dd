// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::waits, "this")) return;
  const fact* first = m.before.find(about::completed, key(m.now.receiver.where));
  if (!first) return;
  auto d = found(502, certainty(*first), m,
                 "request " + name_of(m, m.now.receiver.where) + " was already completed",
                 {m.now.at, "second wait"});
  const bool in_loop = first->because == &m.now;
  d.secondary.push_back(
      {first->because->at, in_loop ? "first wait, one round before" : "first wait"});
  d.help = in_loop ? "wait behind the loop, or start the request anew in each round" : "remove it";
  if (!in_loop) d.edits.push_back({m.now.at, "", true});
  report(std::move(d));
}

}  // namespace

const rule d502{
    .code = 502,
    .title = "a request was already completed",
    .explanation = "A request completes once. The second wait has nothing to wait for.\n",
    .at_event = look};

}  // namespace deed::check
