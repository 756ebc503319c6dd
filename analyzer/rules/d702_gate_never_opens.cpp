// SPDX-License-Identifier: MIT
#include "rules/across.hpp"
#include "rules/registry.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::waits, "all")) return;
  for (const fact* task : m.before.all(about::behind)) {
    const fact* closed = m.before.find(about::closed_gate, task->subject);
    if (!closed || m.before.find(about::opener, task->subject)) continue;
    bool opened = m.before.find(about::open_gate, task->subject) != nullptr;
    for (const fact* f : m.before.all(about::leads)) opened = opened || f->other == task->subject;
    if (opened) continue;
    const std::string gate = name_of(m, task->subject_path);
    const bool certain = task->certain && closed->certain;
    auto d = found(702, certain ? severity::error : severity::warning, m,
                   "gate " + gate + " never opens", {m.now.name_at, "waits for the task"});
    span waits_at = task->because->at;
    for (const operand& o : task->because->arguments) {
      if (o.words.has(verb::awaits)) waits_at = o.at;
    }
    d.secondary.push_back({waits_at, "waits behind " + gate + " here"});
    d.secondary.push_back({closed->because->at, "made here"});
    const std::string plain = spelling(m.all, task->subject_path);
    d.help = quoted(plain + ".open()") + " before the wait, or " +
             quoted("deed::opens(" + plain + ")") + " on a task or message";
    return report(std::move(d));
  }
}

const operand* gate_of(const event& e, verb what) {
  const auto found = std::ranges::find_if(
      e.arguments, [what](const operand& o) { return o.words.has(what) && !key(o.where).empty(); });
  return found == e.arguments.end() ? nullptr : &*found;
}

/// Where a call opens the gate that it names: on the rank that makes it, or that runs its task.
enum class opening { none, here, elsewhere };
opening opens(const occurrence& o, const std::string& gate, int rank) {
  const event& e = *o.call;
  if (e.words.has(verb::opens) && key(e.receiver.where) == gate) return opening::here;
  for (const operand& each : e.arguments) {
    if (!each.words.has(verb::opens) || key(each.where) != gate) continue;
    const std::optional<int> where = e.words.has(verb::submits) ? runner(o) : rank;
    return !where || *where == rank ? opening::here : opening::elsewhere;
  }
  return opening::none;
}

/// A task that waits on one rank for a gate that opens on another.
struct far_opening {
  const occurrence *waits = nullptr, *opens = nullptr;
  int rank = 0;
  std::set<int> shown;  // Numbers of ranks.
};

void look_at_rank(const rank_run& run, int rank, int ranks,
                  std::map<const event*, far_opening>& found) {
  for (const occurrence& o : run.calls) {
    const operand* const gate = gate_of(*o.call, verb::awaits);
    if (gate == nullptr || !o.call->words.has(verb::submits) || runner(o) != rank) continue;
    if (gate_of(*o.call, verb::opens) != nullptr) continue;  // Of several gates d704 tells more.
    const occurrence* far = nullptr;
    const bool opened = std::ranges::any_of(run.calls, [&](const occurrence& other) {
      const opening how = opens(other, key(gate->where), rank);
      if (how == opening::elsewhere) far = &other;
      return how == opening::here;
    });
    if (opened || far == nullptr) continue;
    far_opening& seen = found.try_emplace(o.call, far_opening{&o, far, rank, {}}).first->second;
    seen.shown.insert(ranks);
  }
}

void look_across(const across_ranks& seen, const sink& report) {
  std::map<const event*, far_opening> found;
  for (const auto& [ranks, runs] : seen.runs.by_ranks) {
    if (ranks < 2 || !std::ranges::all_of(runs, &rank_run::complete)) continue;
    for (int rank = 0; rank < ranks; ++rank)
      look_at_rank(runs[static_cast<std::size_t>(rank)], rank, ranks, found);
  }
  for (const auto& [call, at] : found) {
    if (at.shown.size() < 3) continue;
    const operand& gate = *gate_of(*call, verb::awaits);
    const operand& opener = *gate_of(*at.opens->call, verb::opens);
    const std::string plain = spelling(seen.all, gate.where);
    auto d = found_across(702, seen, *at.waits,
                          "gate " + name_of(seen, gate.where) + " opens on another rank",
                          {gate.at, "this task runs on rank " + std::to_string(at.rank)});
    d.secondary.push_back(
        {opener.at, "opens on rank " + std::to_string(*runner(*at.opens)) + " alone"});
    d.notes.push_back("a gate opens on the rank where the task ran that opens it");
    d.help = "open it by a task that runs where the other waits, or call " +
             quoted(plain + ".open()") + " there";
    report(std::move(d));
  }
}

}  // namespace

const rule d702{.code = 702,
                .title = "a gate never opens",
                .explanation =
                    "A task behind a gate starts when the gate opens. `wait()` waits for the task, "
                    "so something that is\n"
                    "pending has to open the gate.\n",
                .at_event = look,
                .across = look_across};

}  // namespace deed::check
