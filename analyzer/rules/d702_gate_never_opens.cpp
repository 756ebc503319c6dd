// SPDX-License-Identifier: MIT
#include "flow/typestate.hpp"
#include "rules/across.hpp"
#include "rules/registry.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace deed::check {
namespace {

/// A datum that two tasks use one after the other.
const operand* shared_by(const event& first, const event& second) {
  for (const operand* a : tokens(first)) {
    for (const operand* b : tokens(second)) {
      const bool ordered = writes(a->access) || writes(b->access);
      if (ordered && a->where.stable() && key(a->where) == key(b->where)) return b;
    }
  }
  return nullptr;
}

/// The task that opens a gate needs what a task behind the gate has before it.
void look_at_order(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::submits)) return;
  for (const operand& o : m.now.arguments) {
    if (!o.words.has(verb::opens) || m.before.find(about::open_gate, key(o.where))) continue;
    for (const fact* waits : m.before.all(about::behind, key(o.where))) {
      const operand* const datum = shared_by(*waits->because, m.now);
      if (!datum || m.before.find(about::opener, key(o.where))) continue;
      const std::string gate = name_of(m, o.where);
      auto d = found(702, certainty(*waits), m, "gate " + gate + " never opens",
                     {o.at, "opens after a task that waits behind " + gate});
      d.secondary.push_back({waits->because->at, "waits behind " + gate + ", and comes first for " +
                                                     name_of(m, datum->where)});
      d.help = "insert the task that opens the gate first";
      return report(std::move(d));
    }
  }
}

void look(const moment& m, const sink& report) {
  look_at_order(m, report);
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::waits, "all")) return;
  for (const fact* task : m.before.all(about::behind)) {
    const fact* closed = m.before.find(about::closed_gate, task->subject);
    if (!closed || m.before.find(about::opener, task->subject)) continue;
    bool opened = m.before.find(about::open_gate, task->subject) != nullptr ||
                  m.before.find(about::given_gate, task->subject) != nullptr;
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

/// Whether the task runs on the rank that inserts it.
bool runs_here(const occurrence& task, int rank) {
  if (const std::optional<int> where = runner(task)) return *where == rank;
  const auto is_own = [](const datum_use& use) { return use.what.per_rank; };
  const auto is_written = [&](const datum_use& use) { return is_own(use) && writes(use.access); };
  const bool all_own = !task.uses.empty() && std::ranges::all_of(task.uses, is_own);
  return !task.has_place && (all_own || std::ranges::any_of(task.uses, is_written));
}

/// Whether a gate goes where nobody sees what becomes of it.
bool given_away(const program& all, const function& f, const std::string& gate) {
  return std::ranges::any_of(f.blocks, [&](const block& b) {
    return std::ranges::any_of(b.events, [&](const event& e) { return may_open(all, e, gate); });
  });
}

/// A task that opens one gate behind another.
bool is_link(const occurrence& task) {
  return gate_of(*task.call, verb::awaits) != nullptr &&
         gate_of(*task.call, verb::opens) != nullptr;
}

/// A task that waits on one rank for a gate that opens on another.
struct far_opening {
  const occurrence *waits = nullptr, *opens = nullptr;
  int rank = 0;
  bool inserted = false;  // This rank makes the call that opens it.
  std::set<int> shown;    // Numbers of ranks.
};

/// What opens the gate on another rank, by a call that this rank does not make.
const occurrence* opened_by_others(const std::vector<rank_run>& runs, const std::string& gate) {
  for (std::size_t rank = 0; rank < runs.size(); ++rank) {
    const auto& calls = runs[rank].calls;
    const auto it = std::ranges::find_if(calls, [&](const occurrence& o) {
      return opens(o, gate, static_cast<int>(rank)) == opening::here;
    });
    if (it != calls.end()) return &*it;
  }
  return nullptr;
}

void look_at_rank(const std::vector<rank_run>& runs, int rank,
                  std::map<const event*, far_opening>& found) {
  const rank_run& run = runs[static_cast<std::size_t>(rank)];
  for (const occurrence& o : run.calls) {
    const operand* const gate = gate_of(*o.call, verb::awaits);
    if (gate == nullptr || !o.call->words.has(verb::submits) || !runs_here(o, rank)) continue;
    const occurrence* far = nullptr;
    const bool opened = std::ranges::any_of(run.calls, [&](const occurrence& other) {
      const opening how = opens(other, key(gate->where), rank);
      if (how == opening::elsewhere) far = &other;
      return how == opening::here;
    });
    if (opened) continue;
    const bool here = far != nullptr;
    if (!here) far = opened_by_others(runs, key(gate->where));
    if (far == nullptr || (is_link(o) && is_link(*far))) continue;  // d704 tells more of a circle.
    far_opening& seen =
        found.try_emplace(o.call, far_opening{&o, far, rank, here, {}}).first->second;
    seen.shown.insert(static_cast<int>(runs.size()));
  }
}

diagnostic on_another_rank(const across_ranks& seen, const far_opening& at) {
  const operand& gate = *gate_of(*at.waits->call, verb::awaits);
  const operand& opener = *gate_of(*at.opens->call, verb::opens);
  auto d = found_across(702, seen, *at.waits,
                        "gate " + name_of(seen, gate.where) + " opens on another rank",
                        {gate.at, "this task runs on " + rank_name(at.rank)});
  d.secondary.push_back({opener.at, "opens on " + rank_name(*runner(*at.opens)) + " alone"});
  d.notes.push_back("a gate opens on the rank where the task ran that opens it");
  d.help = "open it by a task that runs where the other waits, or call " +
           quoted(spelling(seen.all, gate.where) + ".open()") + " there";
  return d;
}

diagnostic on_some_ranks(const across_ranks& seen, const far_opening& at) {
  const operand& gate = *gate_of(*at.waits->call, verb::awaits);
  const operand* const opener = gate_of(*at.opens->call, verb::opens);
  auto d =
      found_across(702, seen, *at.waits,
                   "gate " + name_of(seen, gate.where) + " never opens on " + rank_name(at.rank),
                   {gate.at, "this task runs on " + rank_name(at.rank)});
  d.secondary.push_back({opener ? opener->at : at.opens->call->at, "not reached there"});
  const decision by = decided_by(seen, *at.opens);
  if (by.at.known()) d.secondary.push_back({by.at, "the condition depends on the rank"});
  d.help = "open the gate on every rank that has a task behind it";
  return d;
}

void look_across(const across_ranks& seen, const sink& report) {
  std::map<const event*, far_opening> found;
  for (const auto& [ranks, runs] : seen.runs.by_ranks) {
    if (ranks < 2 || !std::ranges::all_of(runs, &rank_run::complete)) continue;
    for (int rank = 0; rank < ranks; ++rank) look_at_rank(runs, rank, found);
  }
  for (const auto& [call, at] : found) {
    const operand& gate = *gate_of(*call, verb::awaits);
    if (at.shown.size() < 3 || given_away(seen.all, *seen.runs.opened, key(gate.where))) continue;
    report(at.inserted ? on_another_rank(seen, at) : on_some_ranks(seen, at));
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
