// SPDX-License-Identifier: MIT
#include "gates.hpp"

#include <deed/base/undone.hpp>
#include <deed/runtime/call_options.hpp>
#include <deed/runtime/gate.hpp>
#include <deed/runtime/task_error.hpp>

#include "core.hpp"
#include "report.hpp"
#include "resting.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

/// @file
/// Gates, and what follows a task or a message that is complete.

namespace deed {

void gate::open(place where) {
  if (!undone("open")) state_->home->open(*state_, where);
}
bool gate::is_open() const noexcept { return state_->is_open(); }
void gate::wait(place where) { state_->home->wait_for(*state_, where); }

namespace runtime {

gate_state::gate_state(core& session, std::uint64_t nth, std::string_view named,
                       std::uint32_t openings, place made)
    : home(&session), number(nth), name(named), where(made), needed(openings), left(openings) {
  home->registrar::keep();
  if (openings > 0) vertex::open();
}

gate_state::~gate_state() {
  home->note_closed(*this);
  home->drop();
}

std::shared_ptr<gate_state> core::make_gate(std::string_view name, std::uint32_t openings,
                                            place where) {
  static_cast<void>(caller(call_kind::submits, where));
  const std::uint64_t number = gates_made_.fetch_add(1, std::memory_order_relaxed);
  return std::make_shared<gate_state>(*this, number, name, openings, where);
}

void core::check_promise(const gate_state& what, std::uint32_t more, place where) const {
  if (what.home != this) {
    throw error(error_code::foreign_session, "a gate belongs to another session",
                {{"used", to_string(where)}, {"made", to_string(what.where)}},
                "name a gate of this session");
  }
  if (what.promised + more <= what.needed) return;
  std::vector<error::fact> facts{{"second", to_string(where)}};
  if (what.promised > 0) facts.push_back({"first", to_string(what.last_promise)});
  if (what.needed != 1) {
    facts.push_back({"made", to_string(what.where) + ", for " + counted(what.needed, "opening")});
  }
  throw error(error_code::gate_opened_twice, "gate " + quoted(what.name) + " opened too often",
              std::move(facts), "remove it");
}

void core::check_extras(const call_extras& extras, place where) const {
  for (const auto& each : extras.behind) check_promise(*each, 0, where);
  for (const auto& each : extras.opens) {
    check_promise(*each, static_cast<std::uint32_t>(std::ranges::count(extras.opens, each)), where);
  }
}

void core::open(gate_state& what, place where) {
  context& self = caller(call_kind::submits, where);
  {
    const turn held(*this, self);
    check_promise(what, 1, where);
    ++what.promised;
    what.last_promise = where;
  }
  open_once(self, what, trace::gate_cause::user, 0);
}

void core::open_once(context& self, gate_state& what, trace::gate_cause cause,
                     std::uint64_t by) noexcept {
  if (what.left.fetch_sub(1, std::memory_order_seq_cst) != 1) return;
  note_work();
  self.events->gate_open(what.number, cause, by);
  released now;
  tasks::graph::finish(what,
                       [&](tasks::vertex& next) { arrive(self, next, nullptr, now, what.number); });
  {
    const std::lock_guard lock(gates_mutex_);
    std::erase_if(closed_gates_, [&](const auto& each) { return each.get() == &what; });
  }
  hand_out(self, now);
  // The opening, then the look: pairs with `wait_for`.
  if (what.awaited.load(std::memory_order_seq_cst)) team_->wake_everybody();
}

/// For the report of a gate that waits here for a task of another rank.
void core::note_elsewhere(const task_description& task, std::uint32_t executor) const {
  for (const auto& gate : task.extras->opens) {
    gate->elsewhere = "task " + quoted(task.codelet.name) + ", inserted at " +
                      to_string(task.where) + ", which runs on rank " + std::to_string(executor) +
                      " and opens the gate there";
  }
}

namespace {

/// What opens a gate, as a recording names it: a task, or the tag of a message.
std::pair<trace::gate_cause, std::uint64_t> opener_of(const node& opener) {
  if (opener.kind == node_kind::task) return {trace::gate_cause::task, opener.number};
  if (!is_transfer(opener)) return {trace::gate_cause::message, 0};
  const auto& message = static_cast<const transfer_node&>(opener);
  const bool sends = message.kind == node_kind::send;
  return {trace::gate_cause::message,
          sends ? message.sending.what.tag : message.receiving.what.tag};
}

}  // namespace

/// Puts `fresh` behind its gates, and behind it what it opens and calls. Null: nothing follows.
after_node* core::follow(node& fresh, call_extras&& extras, std::string_view what, place where,
                         std::uint32_t& edges) {
  for (const auto& gate : extras.behind) {
    if (gate->is_open()) continue;
    gate_state::waiter& waits =
        gate->waiting.emplace_back(tasks::edge{}, what, where, extras.opens);
    if (!gate->add_successor(waits.entry, fresh)) {
      gate->waiting.pop_back();  // It opened just now.
      continue;
    }
    ++edges;
    const std::lock_guard lock(gates_mutex_);
    if (gate->waiting.size() == 1 && !gate->is_open()) closed_gates_.push_back(gate);
  }
  if (!extras.any_after()) return nullptr;
  after_node& after = afters_.take();
  after.kind = node_kind::after;
  after.access_count = 0;
  after.what = what;
  after.where = where;
  for (const auto& gate : extras.opens) {
    ++gate->promised;
    gate->last_promise = where;
  }
  after.opens = std::move(extras.opens);
  std::tie(after.cause, after.by) = opener_of(fresh);
  after.call = std::move(extras.done);
  after.request = extras.request;
  if (after.call) callbacks_due_.fetch_add(1, std::memory_order_relaxed);
  fresh.add_successor(after.entry, after);  // It is not committed yet, so this cannot fail.
  ++submitted_;
  static_cast<void>(after.commit(1));
  return &after;
}

void core::run_after(context& self, after_node& after) {
  if (after.call && !undone("when_done")) {
    self.inside = running::callback;
    self.what = after.what;
    try {
      after.call(after.status);
    } catch (...) {
      fail(describe_callback(after, std::current_exception()));
    }
    self.inside = running::program;
    callbacks_due_.fetch_sub(1, std::memory_order_relaxed);
  }
  // After the callback: what waits behind the gates sees what it did.
  for (const auto& gate : after.opens) open_once(self, *gate, after.cause, after.by);
  if (request_state* const request = std::exchange(after.request, nullptr)) {
    if (request->complete(after.status)) team_->wake_everybody();
  }
  after.call = nullptr;
  after.opens.clear();
  complete(self, after, {});
  afters_.give_back(after);
}

std::exception_ptr core::describe_callback(const after_node& after,
                                           const std::exception_ptr& thrown) const {
  std::vector<error::fact> facts{
      {"callback of", quoted(after.what) + " at " + to_string(after.where)},
      {"ran on", "rank " + std::to_string(rank_)}};
  return std::make_exception_ptr(error(error_code::task_threw,
                                       "a callback threw: " + text_of(thrown), std::move(facts),
                                       "catch it inside the callback"));
}

void core::wait_for(gate_state& what, place where) {
  static_cast<void>(caller(call_kind::waits, where, "gate::wait()"));
  if (!what.is_open() && what.promised < what.needed &&
      callbacks_due_.load(std::memory_order_relaxed) == 0) {
    throw error(
        error_code::gate_never_opens, "gate " + quoted(what.name) + " never opens",
        {{"waiting", "at " + to_string(where)}, {"made", to_string(what.where)}},
        "open it before the wait, or `deed::opens(" + what.name + ")` on a task or message");
  }
  waits_in("wait() for gate " + quoted(what.name) + " at " + to_string(where));
  what.awaited.store(true, std::memory_order_seq_cst);
  const recorded_wait recorded = record_wait(trace::wait_kind::gate, what.number, where);
  help_until([&] { return what.left.load(std::memory_order_seq_cst) == 0; });
}

namespace {

std::string described(const gate_state::waiter& waits) {
  const bool message = waits.what == "send" || waits.what == "receive";
  return (message ? "the " + quoted(waits.what) + ", called at "
                  : "the task " + quoted(waits.what) + ", inserted at ") +
         to_string(waits.where);
}

/// A way from `at` back to `first` along "waits behind, and would open".
bool circle_from(const gate_state& first, const gate_state& at,
                 std::vector<const gate_state*>& seen,
                 std::vector<std::pair<const gate_state*, const gate_state::waiter*>>& way) {
  for (const gate_state::waiter& waits : at.waiting) {
    for (const auto& opened : waits.opens) {
      if (opened->is_open()) continue;
      way.emplace_back(&at, &waits);
      if (opened.get() == &first) return true;
      if (std::ranges::find(seen, opened.get()) == seen.end()) {
        seen.push_back(opened.get());
        if (circle_from(first, *opened, seen, way)) return true;
      }
      way.pop_back();
    }
  }
  return false;
}

}  // namespace

namespace {

[[noreturn]] void tell(gate_state& of, const error& what) {
  if (std::exchange(of.told, true)) throw told_before(what);
  throw what;
}

}  // namespace

void core::check_gates(place where) {
  const turn held(*this, team_->main());
  std::vector<std::shared_ptr<gate_state>> closed;
  {
    const std::lock_guard lock(gates_mutex_);
    closed = closed_gates_;
  }
  for (const auto& gate : closed) {
    if (gate->is_open()) continue;
    const gate_state::waiter& first = gate->waiting.front();
    if (gate->promised < gate->needed && callbacks_due_.load(std::memory_order_relaxed) == 0) {
      std::vector<error::fact> facts{
          {"waiting", "at " + to_string(where) + " for " + described(first)},
          {"behind", quoted(gate->name) + ", made at " + to_string(gate->where)}};
      if (gate->promised > 0) {
        facts.push_back({"opened", std::to_string(gate->promised) + " of " +
                                       counted(gate->needed, "time") + " by what was submitted"});
      }
      if (!gate->elsewhere.empty()) facts.push_back({"opens it", gate->elsewhere});
      tell(*gate, error(error_code::gate_never_opens, "gate " + quoted(gate->name) + " never opens",
                        std::move(facts),
                        "`" + gate->name + ".open()` before the wait, or `deed::opens(" +
                            gate->name + ")` on a task or message"));
    }
    std::vector<const gate_state*> seen{gate.get()};
    std::vector<std::pair<const gate_state*, const gate_state::waiter*>> way;
    if (!circle_from(*gate, *gate, seen, way)) continue;
    std::vector<error::fact> facts;
    for (std::size_t i = 0; i < way.size(); ++i) {
      const gate_state& next = *way[(i + 1) % way.size()].first;
      facts.push_back({quoted(way[i].second->what), "behind " + quoted(way[i].first->name) +
                                                        ", opens " + quoted(next.name) + ", at " +
                                                        to_string(way[i].second->where)});
    }
    tell(*gate, error(error_code::gates_circular, "gates wait in a circle", std::move(facts),
                      "open one of them from outside"));
  }
}

void core::name_gates(std::vector<missing>& waits) {
  const std::lock_guard lock(gates_mutex_);
  for (const auto& gate : closed_gates_) {
    if (gate->is_open()) continue;
    missing wanted;
    wanted.gate = quoted(gate->name) + ", made at " + to_string(gate->where) + ", open after " +
                  counted(gate->left.load(std::memory_order_relaxed), "more opening");
    wanted.waits = described(gate->waiting.front());
    waits.push_back(std::move(wanted));
  }
}

}  // namespace runtime
}  // namespace deed
