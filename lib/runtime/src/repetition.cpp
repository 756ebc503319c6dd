// SPDX-License-Identifier: MIT
#include "core.hpp"
#include "report.hpp"
#include "resting.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>

/// @file
/// An iteration whose graph is kept and runs again, without being inserted again.
///
/// What a rank submits follows from its ledger and the calls of the program. Where an iteration
/// leaves the ledger as it found it, but for versions, the next makes the same tasks and transfers.
/// Each rank finds that out for itself: what it sends and receives is what insertion would have
/// made, so others may insert meanwhile.

namespace deed::runtime {

void repeat(core& home, std::uint64_t times, const std::function<void()>& body, place where) {
  home.repeat(times, body, where);
}

void core::repeat(std::uint64_t times, const std::function<void()>& body, place where) {
  static_cast<void>(caller(call_kind::steps, where, "repeat()"));
  constexpr int most_tries = 5;  // An iteration that has not settled by then never does.
  std::uint64_t done = 0;
  std::optional<std::uint64_t> calls_before;
  for (int tries = 0; times >= 3 && tries < most_tries && done + 2 <= times && can_keep();
       ++tries) {
    const std::unique_ptr<kept_iteration> kept = keep_iteration(body);
    if (kept == nullptr) {
      ++done;
      break;
    }
    // The first brings what will lie here in those that follow. One that asks for something else,
    // as where two data take turns, says nothing about the next.
    if (calls_before == kept->calls && ledger_.decides_as(kept->books)) {
      replay(*kept, times - done, where);
      return;
    }
    calls_before = kept->calls;
    submit(*kept);
    ++done;
  }
  for (; done < times; ++done) body();
}

/// What looks at every insertion, and what is not in tasks and transfers alone, sees each of them.
bool core::can_keep() const noexcept {
  return environment_.dry == nullptr && recorder_ == nullptr && verify_ == nullptr &&
         devices_ == nullptr && !observer_ && !callbacks_ && lent_.empty() && !ledger_.any_open() &&
         !ledger_.ends_copies();
}

bool core::can_keep(const task_description& task) const noexcept {
  return task.extras == nullptr && task.where_to_run.how != placement::kind::on_each &&
         (task.flops == 0 || !environment_.spend) &&
         std::ranges::none_of(task.accesses, [](const access_description& each) {
           return each.mode == access_mode::reduce;
         });
}

void core::note_call(const task_description& task) {
  if (!can_keep(task)) return stop_keeping();
  keeps_->calls = mix(keeps_->calls, reinterpret_cast<std::uintptr_t>(task.body));
  note_call(task.accesses, task.where_to_run);
}

/// Of a task, or of a question whether it concerns this rank. Before the ledger decides.
void core::note_call(std::span<const access_description> accesses, const placement& asked) {
  std::uint64_t& calls = keeps_->calls;
  calls = mix(calls, static_cast<std::uint64_t>(asked.how));
  calls = mix(calls, static_cast<std::uint64_t>(asked.rank));
  calls = mix(calls, asked.datum);
  for (const access_description& each : accesses) {
    calls = mix(mix(calls, each.datum), static_cast<std::uint64_t>(each.mode));
    keeps_->books.keep(ledger_, each.datum);
  }
}

/// Lets `body` insert, and keeps what that makes out of the graph. Null: all is submitted, since
/// the program asked for what is not kept.
std::unique_ptr<kept_iteration> core::keep_iteration(const std::function<void()>& body) {
  keeps_ = std::make_unique<kept_iteration>(
      kept_iteration{.books = ownership::ledger::excerpt(ledger_),
                     .runners = census_,
                     .uses_of_copies = uses_of_copies_,
                     .inserted = inserted_.load(std::memory_order_relaxed)});
  try {
    body();
  } catch (...) {
    stop_keeping();
    throw;
  }
  return std::move(keeps_);
}

void core::stop_keeping() {
  if (keeps_ == nullptr) return;
  const std::unique_ptr<kept_iteration> kept = std::move(keeps_);
  submit(*kept);
}

namespace {

std::span<node_access> accesses_of(node& any) noexcept {
  return any.kind == node_kind::task ? static_cast<task_node&>(any).accesses()
                                     : static_cast<transfer_node&>(any).accesses();
}

}  // namespace

void core::submit(const kept_iteration& kept) {
  const turn held(*this, team_->main());
  for (node* const each : kept.nodes) {
    std::uint32_t edges = 0;
    for (node_access& access : accesses_of(*each)) put_in_order(*each, access, edges);
    commit(*each, edges);
  }
}

/// Runs what was kept so many times. What was submitted before is complete when it starts, and all
/// of it when this returns.
void core::replay(kept_iteration& kept, std::uint64_t times, place where) {
  waits_in("repeat() at " + to_string(where));
  help_until([this] { return all_done(); }, true);
  rethrow_failure();

  inserted_each_time_ = inserted_.load(std::memory_order_relaxed) - kept.inserted;
  number_transfers(kept);
  replays_ = std::make_unique<tasks::recurrent_graph>();
  tasks::recurrent_graph& graph = *replays_;
  for (node* const each : kept.nodes) {
    graph.add(*each);
    for (node_access& access : accesses_of(*each)) {
      access.at = {};  // A transfer's is still that of the one that had its memory before.
      graph.use(&access.datum(), access.writes());
    }
  }
  const turn held(*this, team_->main());
  const bool may_choose = may_run_in_order(kept);
  count(inserted_, (times - 1) * inserted_each_time_);  // Before they run: a status has both.
  if (!may_choose) start(graph, kept, times);
  count_replayed(kept, times - 1);
  if (may_choose) run_the_quicker_way(graph, kept, times);
  end_replay();
  undeferred_.skip(submitted_.load(std::memory_order_relaxed), environment_.time->now());
  take_apart(kept, times - 1);
}

void core::start(tasks::recurrent_graph& graph, const kept_iteration& kept, std::uint64_t times) {
  const std::vector<tasks::vertex*> ready = graph.start(times);
  count(submitted_, std::uint64_t{kept.nodes.size()} * times);
  for (tasks::vertex* const each : ready) release(static_cast<node&>(*each));
}

void core::end_replay() {
  help_until([this] { return all_done(); }, true);
  rethrow_failure();
}

/// By the graph, or one task after the other: a span of each way says which.
void core::run_the_quicker_way(tasks::recurrent_graph& graph, const kept_iteration& kept,
                               std::uint64_t times) {
  constexpr std::uint64_t span = 4096;  // Tasks.
  const std::uint64_t nodes = kept.nodes.size(), of_span = 1 + span / (nodes + 1);
  std::uint64_t ran = 0;
  while (times > 0 && may_run_in_order(kept)) {
    std::uint64_t now = std::min(times, undeferred_.always() ? times : of_span);
    unsigned spans = 1;
    in_repeat_.begin(ran, environment_.time->now());
    if (undeferred_.always() || !in_repeat_.usual()) {
      now = run_in_order(kept, now);
      if (now == 0) return;  // It has failed before, and the program knows.
    } else {                 // Each start of the graph is a stop before it.
      spans = in_repeat_.spans_alike();
      now = std::min(times, spans * of_span);
      start(graph, kept, now);
      end_replay();
    }
    in_repeat_.end(ran += now * nodes, environment_.time->now(), spans);
    times -= now;
  }
  if (times > 0) start(graph, kept, times);
}

/// From one iteration to the next, a transfer's number grows by how many there are in one between
/// these two ranks, and its version by how often the datum is written.
void core::number_transfers(kept_iteration& kept) {
  using line = std::tuple<ownership::slot, node_kind, int>;
  std::map<line, std::uint32_t> transfers;
  const auto line_of = [](const transfer_node& each) {
    const bool sends = each.kind == node_kind::send;
    return line{each.only.datum().datum, each.kind,
                sends ? each.sending.peer.value : each.receiving.peer.value};
  };
  const auto each_transfer = [&](const auto& visit) {
    for (node* const each : kept.nodes) {
      if (is_transfer(*each)) visit(static_cast<transfer_node&>(*each));
    }
  };
  each_transfer([&](transfer_node& each) { ++transfers[line_of(each)]; });
  each_transfer([&](transfer_node& each) {
    const ownership::slot datum = each.only.datum().datum;
    each.next_number = transfers[line_of(each)];
    each.next_version = ledger_.version(datum) - kept.books.version(datum);
  });
}

/// What insertion would have counted, `times` times more.
void core::count_replayed(const kept_iteration& kept, std::uint64_t times) {
  std::vector<kept_iteration::dealt> dealings = kept.dealings;
  std::uint64_t follow = times * dealings.size();
  for (std::uint64_t i = 1; i <= times; ++i) {
    for (auto& [peer, datum, one] : dealings) {
      one.number += inserted_each_time_;
      one.version += ledger_.version(datum) - kept.books.version(datum);
      log_.add(peer, one, --follow);
    }
  }
  ledger_.advance_since(kept.books, times);
  census_.advance_since(kept.runners, times);
  for (auto& [owner, now] : uses_of_copies_) {
    const auto before = kept.uses_of_copies.find(owner);
    const cache_use was = before != kept.uses_of_copies.end() ? before->second : cache_use{};
    const cache_use more{(now.hits - was.hits) * times, (now.misses - was.misses) * times};
    now.hits += more.hits;
    now.misses += more.misses;
    count(copies_hit_, more.hits);
    count(copies_missed_, more.misses);
  }
  for (const auto& [owner, bytes] : kept.bytes_saved)
    team_->main().seen.saved(owner, bytes * times);
}

/// Nothing of it runs any more.
void core::take_apart(const kept_iteration& kept, std::uint64_t times) {
  for (node* const each : kept.nodes) {
    if (each->kind == node_kind::task) {
      auto& task = static_cast<task_node&>(*each);
      task.clear_closure();
      task.free_spilled();
      task.codelet = nullptr;  // Free: see `state`.
      tasks_.put_back(task);
      continue;
    }
    auto& transfer = static_cast<transfer_node&>(*each);
    const bool sends = transfer.kind == node_kind::send;
    const int peer = sends ? transfer.sending.peer.value : transfer.receiving.peer.value;
    data_[transfer.only.datum().datum].transfers.skip(
        sends ? transfer_counts::way::to_peer : transfer_counts::way::from_peer,
        static_cast<std::uint32_t>(peer), static_cast<std::uint32_t>(times));
    transfers_.put_back(transfer);
  }
}

/// A task that completes is the same of the next iteration; before anybody hears of it.
void core::come_round(task_node& task) noexcept { task.number += inserted_each_time_; }

void core::come_round(transfer_node& transfer) noexcept {
  transfer.failure = transfer.thrown = nullptr;
  transfer.arrived = 0;
  transfer.version += transfer.next_version;
  if (transfer.kind == node_kind::send) {
    transport::send_operation& next = transfer.sending;
    next.what.version += transfer.next_number;
    next.spoiled = next.more = false;
    next.state = {};
  } else {
    transport::receive_operation& next = transfer.receiving;
    next.what.version += transfer.next_number;
    next.spoiled = false;
    next.state = {};
  }
}

}  // namespace deed::runtime
