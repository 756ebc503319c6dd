// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/across.hpp"
#include "rules/registry.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace deed::check {
namespace {

/// The datum whose task opens a gate where it runs, if that is the same each time.
std::string written_by(const event& task) {
  for (const operand* token : tokens(task)) {
    if (writes(token->access)) return token->where.stable() ? key(token->where) : std::string();
  }
  return {};
}

/// Two tasks that run in the same place, and open the same gate.
bool opens_once(const moment& m, const std::string& gate) {
  const fact* const made = m.before.find(about::closed_gate, gate);
  return made && check::opens_once(*made->because);
}

/// What opens a gate on this rank, done or to come: a call, or a message, which no rank shares.
const fact* opened_here(const moment& m, const std::string& gate) {
  if (const fact* const opened = m.before.find(about::open_gate, gate)) return opened;
  const fact* const opener = m.before.find(about::opener, gate);
  const bool message = opener && opener->because->words.has(verb::posts);
  return message && opens_once(m, gate) ? opener : nullptr;
}

diagnostic found_again(const moment& m, const path& gate, const fact& first, span second) {
  auto d = found(703, certainty(first), m, "gate " + name_of(m, gate) + " is opened too often",
                 {second, "second"});
  d.secondary.push_back(
      {first.because->at, first.because == &m.now ? "first, one round before" : "first"});
  return d;
}

void look_at_tasks(const moment& m, const sink& report) {
  const bool message = m.now.words.has(verb::posts);
  if (!message && !m.now.words.has(verb::submits)) return;
  const std::string datum = written_by(m.now);
  for (const operand& o : m.now.arguments) {
    if (!o.words.has(verb::opens)) continue;
    const std::string gate = key(o.where);
    const fact* first = message ? opened_here(m, gate) : m.before.find(about::opener, gate);
    for (const fact* f : m.before.all(about::leads)) {
      if (!first && !message && f->other == gate) first = f;
    }
    if (!first) continue;
    const bool same_rank = message || (!datum.empty() && written_by(*first->because) == datum);
    if (!same_rank || (!opens_once(m, gate) && first->what != about::open_gate)) continue;
    auto d = found_again(m, o.where, *first, o.at);
    d.help = "make a gate for each of them, or let one of them open it";
    report(std::move(d));
  }
}

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call) return;
  look_at_tasks(m, report);
  if (m.now.receiver.kind != noun::gate || !m.now.words.has(verb::opens)) return;
  const fact* const first = opened_here(m, key(m.now.receiver.where));
  if (!first) return;
  auto d = found_again(m, m.now.receiver.where, *first, m.now.at);
  const bool round = first->because == &m.now;
  d.help = round ? "open it before the loop, or behind it" : "remove it";
  if (!round) d.edits.push_back({m.now.at, "", true});
  report(std::move(d));
}

bool is_one_gate(const across_ranks& seen, const std::string& gate) {
  const function& f = *seen.runs.opened;
  const event* made = nullptr;
  for (std::size_t i = 0; i < f.blocks.size(); ++i) {
    for (const event& e : f.blocks[i].events) {
      if (e.kind != event_kind::call || e.result_kind != noun::gate || key(e.result) != gate)
        continue;
      const auto deciders = seen.runs.decisions->deciders(static_cast<int>(i));
      const bool again = std::ranges::any_of(deciders, [&](int id) {
        return f.blocks[static_cast<std::size_t>(id)].how == split::loop;
      });
      if (made || again) return false;
      made = &e;
    }
  }
  return made && opens_once(*made);
}

const operand* opened_by(const occurrence& task) {
  for (const operand& o : task.call->arguments) {
    if (o.words.has(verb::opens) && !key(o.where).empty()) return &o;
  }
  return nullptr;
}

/// Two tasks that a rank runs, of different data, and that open the same gate.
struct opened_again {
  const occurrence *first = nullptr, *second = nullptr;
  std::set<int> shown;  // numbers of ranks
};

void note_again(const rank_run& run, int rank, int ranks,
                std::map<const event*, opened_again>& found) {
  std::map<std::string, const occurrence*> first;
  for (const occurrence& o : run.calls) {
    const operand* const gate = opened_by(o);
    if (!gate || !o.call->words.has(verb::submits) || runner(o) != rank) continue;
    const auto [it, is_new] = first.try_emplace(key(gate->where), &o);
    if (is_new) continue;
    found.try_emplace(o.call, opened_again{it->second, &o, {}}).first->second.shown.insert(ranks);
  }
}

void look_across(const across_ranks& seen, const sink& report) {
  std::map<const event*, opened_again> found;
  for (const auto& [ranks, runs] : seen.runs.by_ranks) {
    for (std::size_t rank = 0; ranks > 1 && rank < runs.size(); ++rank) {
      if (!runs[rank].guessed) note_again(runs[rank], static_cast<int>(rank), ranks, found);
    }
  }
  for (const auto& [call, again] : found) {
    const operand& gate = *opened_by(*again.second);
    if (again.shown.size() < 3 || !is_one_gate(seen, key(gate.where))) continue;
    auto d = found_across(703, seen, *again.second,
                          "gate " + name_of(seen, gate.where) + " is opened too often",
                          {gate.at, "second"});
    const bool round = again.first->call == call;
    d.secondary.push_back(
        {again.first->call->at, round ? "first, one round before" : "first, by the same rank"});
    d.help = "make a gate for each of them, or let one of them open it";
    report(std::move(d));
  }
}

}  // namespace

const rule d703{
    .code = 703,
    .title = "a gate is opened too often",
    .explanation = "A gate opens once. Work that has to wait again wants a gate of its own.\n",
    .at_event = look,
    .across = look_across};

}  // namespace deed::check
