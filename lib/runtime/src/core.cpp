// SPDX-License-Identifier: MIT
#include "core.hpp"

#include <deed/base/random.hpp>
#include <deed/transport/endpoint.hpp>

#include "device_network.hpp"
#include "devices.hpp"
#include "field_check.hpp"
#include "of_all_ranks.hpp"
#include "resting.hpp"

#include <algorithm>
#include <functional>
#include <iostream>

namespace deed::runtime {
namespace {

std::unique_ptr<tasks::ready_queue> queue_for(const rank_environment& environment) {
  if (!environment.simulated || !environment.shuffled) return tasks::make_shared_queue();
  return tasks::make_seeded_queue(
      mix(environment.seed, static_cast<std::uint64_t>(environment.rank)));
}

/// Idle buffers of one process, so fewer of each of many virtual ranks.
std::size_t kept_bytes(const rank_environment& environment) {
  constexpr std::size_t most = std::size_t{256} << 20;
  return environment.simulated ? most / static_cast<std::size_t>(environment.size) : most;
}

int seats_for(const rank_environment& environment, const session_options& options) {
  if (environment.simulated || environment.one_thread)
    return 0;  // Tasks run where the program waits.
  return options.workers > 0 ? options.workers : std::max(1, environment.cores);
}

}  // namespace

core::core(const rank_environment& environment, const session_options& options)
    : options_(checked(options)),
      rank_(environment.rank),
      environment_(environment),
      ledger_(environment.size, {.keep = options.cache, .bytes = options.cache_bytes}),
      log_(environment.rank, options.checks.global),
      census_(environment.size),
      engine_(std::make_unique<transport::engine>(
          *environment.door, transport::engine_options{.checksums = options.checksums},
          *environment.time)),
      packed_buffers_(kept_bytes(environment)),
      window_(std::max<std::size_t>(1, options.window)),
      team_(std::make_unique<worker_team>(*this, seats_for(environment, options),
                                          queue_for(environment))),
      begin_(environment.time->now()) {
  submitter_ = &team_->main();
  if (options_.checks.any() && environment_.dry == nullptr)
    verify_ = std::make_unique<verification>(options_.checks);
  warn_of_workers();
  start_listening();
  start_devices();
  start_recording();
  start_heartbeat();
  team_->start();
  if (environment_.board != nullptr) environment_.board->add(rank_, [this] { return look(); });
}

void core::waits_in(std::string what) {
  const std::lock_guard lock(waiting_mutex_);
  waiting_at_ = std::move(what);
}

glance core::look() const {
  glance seen{.inserted = inserted_.load(std::memory_order_relaxed),
              .submitted = submitted_.load(std::memory_order_relaxed),
              .done = team_->completed(),
              .window = options_.window,
              .copies_bytes = copies_here_.bytes(),
              .copies_hit = copies_hit_.load(std::memory_order_relaxed),
              .copies_missed = copies_missed_.load(std::memory_order_relaxed),
              .workers = environment_.simulated ? 0
                                                : static_cast<int>(team_->contexts().size()) -
                                                      (team_->main_runs_tasks() ? 0 : 1),
              .waits = {},
              .runs = {}};
  for (const auto& each : team_->contexts()) {
    seen.run += each->tasks_run.load(std::memory_order_relaxed);
    seen.busy_ns += each->busy_ns.load(std::memory_order_relaxed);
    const known_codelet* const now = each->runs.load(std::memory_order_acquire);
    if (now != nullptr) ++seen.runs[std::string(now->name)];
  }
  for (const auto& peer : engine_->counts().peers) seen.sent_bytes += peer.sent.payload_bytes;
  const std::lock_guard lock(waiting_mutex_);
  if (waits_now_.load(std::memory_order_relaxed)) seen.waits = waiting_at_;
  return seen;
}

core::~core() = default;

void core::close() {
  if (closed_) return;
  std::exception_ptr failure;
  if (broken_) failure = take_failure();  // Of a destructor, which could not throw it.
  if (!broken_) {
    try {
      static_cast<void>(caller(call_kind::waits, last_call_, "close()"));
      if (!lent_.empty()) check_wait(last_call_);
      check_gates(last_call_);
      wait_for_all(collective::close, last_call_);
    } catch (const of_all_ranks&) {
      failure = std::current_exception();
      note_end(failure);
    } catch (...) {
      failure = std::current_exception();
      note_end(failure);
      broken_ = true;
    }
  }
  if (!broken_) {
    try {
      waits_in("the end of the session");
      // Of settings, those of rank 0 hold; of checks, those that all ranks make. 21 bits for each.
      constexpr std::uint64_t field = std::uint64_t{1} << 21;
      constexpr std::uint64_t of_messages = 2, of_leaks = 2 * field, of_global = 2 * field * field;
      std::uint64_t wanted = rank_ == 0 && !options_.summary.empty() ? 1 : 0;
      if (verify_ != nullptr && verify_->on.messages) wanted += of_messages;
      if (verify_ != nullptr && verify_->on.leaks) wanted += of_leaks;
      if (verify_ != nullptr && verify_->on.global) wanted += of_global;
      const std::uint64_t all = agree(collective::end, wanted, place::current());
      const auto counted = std::make_shared<std::atomic<bool>>(false);
      begin_census([counted] { *counted = true; });
      help_until([&] { return counted->load(); });
      measure_clocks_with_all(collective::end);
      if (all % of_messages != 0) collect_summary();
      const auto ranks = static_cast<std::uint64_t>(size());
      verify_end({.global = all / of_global == ranks,
                  .messages = all / of_messages % field == ranks,
                  .leaks = all / of_leaks % field == ranks});
    } catch (...) {
      failure = std::current_exception();
      note_end(failure);
      broken_ = true;
    }
  }
  closed_ = true;
  if (heartbeat_ != nullptr) heartbeat_->stop();
  if (environment_.board != nullptr) environment_.board->remove(rank_);
  if (verify_ != nullptr && verify_->on.leaks && devices_ != nullptr)
    std::cerr << devices_->residency();
  const std::exception_ptr lost = bring_home_from_devices();
  if (!failure) failure = lost;
  last_counts_ = counts();
  stop_recording();
  team_->stop();  // Its threads look at `team_`: they end before it does.
  // Without a word to the others, which have failed, too, or notice; but none of them reads or
  // writes memory here any more, of devices or of the engine.
  if (broken_) engine_->abandon();
  try {
    end_devices();
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
  team_.reset();
  if (broken_) {
    engine_.reset();
    drop_unfinished();
  } else {
    try {
      engine_->close();
      refuse_left_over();
      if (summary_.heard() > 0) summary_.print(options_.summary);
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
  }
  for (datum_info& info : data_) {
    for (replica* const each : {std::exchange(info.here, nullptr), info.partial()}) {
      if (each == nullptr) continue;
      each->free_storage();
      delete each;
    }
    info.seldom.reset();
  }
  mark_ended();
  if (failure) std::rethrow_exception(failure);
}

void core::drop_unfinished() {
  tasks_.for_each([](task_node& task) {
    if (task.codelet == nullptr) return;
    task.clear_closure();
    task.free_spilled();
  });
  transfers_.for_each([](transfer_node& transfer) {
    if (request_state* const dropped = std::exchange(transfer.request, nullptr)) dropped->drop();
  });
  afters_.for_each([](after_node& after) {
    if (request_state* const dropped = std::exchange(after.request, nullptr)) dropped->drop();
  });
  collectives_.for_each([](collective_node& part) {
    if (request_state* const dropped = std::exchange(part.request, nullptr)) dropped->drop();
  });
  for (const auto& gate : std::exchange(closed_gates_, {})) gate->waiting.clear();
  borrows_.for_each([](borrow_node& last) {
    if (last.kind != node_kind::end) return;
    replica& ended = last.only.datum();
    ended.free_storage();
    delete &ended;
  });
}

deed::statistics core::counts() const {
  if (team_ == nullptr) return last_counts_;
  deed::statistics sum;
  sum.tasks_submitted = inserted_;
  sum.cache_of = uses_of_copies_;
  for (const auto& [owner, used] : uses_of_copies_) {
    sum.cache_hits += used.hits;
    sum.cache_misses += used.misses;
  }
  sum.copies_bytes = copies_here_.bytes();
  sum.most_copies_bytes = copies_here_.most();
  for (const auto& each : team_->contexts()) {
    sum.tasks_run += each->tasks_run.load(std::memory_order_acquire);
    sum.tasks_cancelled += each->tasks_cancelled.load(std::memory_order_acquire);
    sum.busy += std::chrono::nanoseconds(each->busy_ns.load(std::memory_order_acquire));
    each->seen.add_to(sum);
    each->times.add_to(sum);
    const bool runs_tasks = each != team_->contexts().front() || team_->main_runs_tasks();
    if (runs_tasks) sum.idle += each->times.idle();
  }
  if (team_->main_runs_tasks()) sum.program = elapsed() - team_->main().times.in_calls();
  constexpr std::size_t most_waits = 16;  // Of all threads; it is little that others hear of each.
  std::ranges::sort(sum.waits, std::greater<>(), &wait_use::total);
  if (sum.waits.size() > most_waits) sum.waits.resize(most_waits);
  if (devices_ != nullptr) devices_->add_to(sum);
  const transport::statistics network = engine_->counts();
  sum.messages_sent = network.messages;
  for (const auto& [peer, sent, received] : network.peers) {
    if (sent != transport::traffic{}) {
      sum.sent_to[peer.value] = {.transfers = sent.transfers,
                                 .payload_bytes = sent.payload_bytes,
                                 .announced = sent.announced,
                                 .data_frames = sent.data_frames,
                                 .control_frames = sent.control_frames,
                                 .other_frames = sent.other_frames,
                                 .header_bytes = sent.header_bytes};
    }
    if (received.transfers > 0) {
      sum.received_from[peer.value] = {.transfers = received.transfers,
                                       .payload_bytes = received.payload_bytes};
    }
  }
  return sum;
}

}  // namespace deed::runtime
