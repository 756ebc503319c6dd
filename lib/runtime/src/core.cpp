// SPDX-License-Identifier: MIT
#include "core.hpp"

#include <deed/base/random.hpp>
#include <deed/transport/endpoint.hpp>

#include "device_network.hpp"
#include "devices.hpp"
#include "early_exit.hpp"
#include "field_check.hpp"
#include "of_all_ranks.hpp"
#include "report.hpp"
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

/// What is chosen by the clock needs workers beside the program.
deferral deferral_for(const rank_environment& environment, const session_options& options) {
  const bool chooses = options.defer == deferral::automatic;
  const bool tells_each = options.log.level == log_level::debug;
  const bool all = environment.simulated || environment.dry != nullptr || tells_each;
  return all || (chooses && environment.one_thread) ? deferral::on : options.defer;
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
      undeferred_(deferral_for(environment, options)),
      window_(std::max<std::size_t>(1, options.window)),
      team_(std::make_unique<worker_team>(*this, seats_for(environment, options),
                                          queue_for(environment))),
      begin_(environment.time->now()) {
  submitter_ = &team_->main();
  submitter_->crash.of_program(last_call_, submitter_->events, environment_.board != nullptr,
                               __builtin_frame_address(0));
  watch_exits();
  if (options_.checks.any() && environment_.dry == nullptr)
    verify_ = std::make_unique<verification>(options_.checks);
  try {
    warn_of_workers();
    start_listening();
    start_devices();
    if (devices_ != nullptr) undeferred_ = undeferred(deferral::on);
    start_recording();
    start_heartbeat();
    team_->start();
    if (environment_.board != nullptr)
      environment_.board->add(rank_, [this](bool whole) { return look(whole); });
  } catch (...) {
    let_go();
    throw;
  }
}

void core::waits_in(std::string what) {
  const std::lock_guard lock(waiting_mutex_);
  waiting_at_ = std::move(what);
}

glance core::look(bool whole) const {
  // What has ended first: the program goes on meanwhile, and no more have run than were inserted.
  std::uint64_t run = 0;
  for (const auto& each : team_->contexts()) run += each->tasks_run.load(std::memory_order_acquire);
  const std::uint64_t done = team_->completed();
  glance seen{.inserted = inserted_.load(std::memory_order_relaxed),
              .run = run,
              .submitted = submitted_.load(std::memory_order_relaxed),
              .done = done,
              .window = options_.window,
              .copies_bytes = copies_here_.bytes(),
              .copies_hit = copies_hit_.load(std::memory_order_relaxed),
              .copies_missed = copies_missed_.load(std::memory_order_relaxed),
              .workers = environment_.simulated ? 0
                                                : static_cast<int>(team_->contexts().size()) -
                                                      (team_->main_runs_tasks() ? 0 : 1),
              .waits = {},
              .waited = {},
              .lacks = {},
              .runs = {}};
  for (const auto& each : team_->contexts()) {
    seen.busy_ns += each->busy_ns.load(std::memory_order_relaxed);
    const known_codelet* const now = each->runs.load(std::memory_order_acquire);
    if (now != nullptr) ++seen.runs[std::string(now->name)];
  }
  for (const auto& peer : engine_->counts().peers) seen.sent_bytes += peer.sent.payload_bytes;
  const auto open = whole ? engine_->left_over() : decltype(engine_->left_over())();
  for (const auto& [side, peer, what] : open) {
    if (side != transport::unmatched::side::expected || seen.lacking++ > 0) continue;
    const bool message = what.kind == transport::transfer_kind::message;
    const bool part = message && collective_channel::is(what.version);
    seen.lacks = (part      ? "a part of " + collective_channel::of(what.version).text()
                  : message ? "a message, tag " + std::to_string(what.tag)
                            : "tag " + std::to_string(what.tag)) +
                 " from " + rank_label(peer.value);
  }
  const std::lock_guard lock(waiting_mutex_);
  (waits_now_.load(std::memory_order_relaxed) ? seen.waits : seen.waited) = waiting_at_;
  return seen;
}

core::~core() = default;

void core::close() {
  if (life_ == life::closed) return;
  // Of what is broken, what a destructor could not throw.
  std::exception_ptr failure = broken_ ? take_failure() : end_with_others();
  life_ = life::closed;
  const auto attempt = [&failure](const auto& step) {
    try {
      step();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  };
  if (heartbeat_ != nullptr) heartbeat_->stop();
  if (environment_.board != nullptr) environment_.board->remove(rank_);
  attempt([this] { bring_home_from_devices(); });
  attempt([this] { last_counts_ = counts(); });
  if (broken_) {
    // Without a word to the others, which have failed, too, or notice.
    let_go();
    stop_recording();
    team_.reset();
    engine_.reset();
    drop_unfinished();
  } else {
    team_->stop();  // Its threads look at `team_`: they end before it does.
    stop_recording();
    attempt([this] { end_devices(); });
    team_.reset();
    attempt([this] { close_engine(); });
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

/// What the program has submitted is done, here and elsewhere, and all have said what they count.
std::exception_ptr core::end_with_others() noexcept {
  std::exception_ptr failure;
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
    return failure;
  }
  try {
    count_with_others();
    ask_who_sent_what_is_left();
  } catch (...) {
    failure = std::current_exception();
    note_end(failure);
    broken_ = true;
  }
  return failure;
}

void core::count_with_others() {
  waits_in("the end of the session");
  // Of settings, those of rank 0 hold; of checks, those that all ranks make. 21 bits for each.
  constexpr std::uint64_t field = std::uint64_t{1} << 21;
  constexpr std::uint64_t of_messages = 2, of_leaks = 2 * field, of_global = 2 * field * field;
  std::uint64_t wanted = rank_ == 0 && !options_.summary.empty() ? 1 : 0;
  if (verify_ != nullptr && verify_->on.messages) wanted += of_messages;
  if (verify_ != nullptr && verify_->on.leaks) wanted += of_leaks;
  if (verify_ != nullptr && verify_->on.global) wanted += of_global;
  const std::uint64_t all = agree(collective::end, wanted);
  const auto counted = std::make_shared<std::atomic<bool>>(false);
  begin_census([counted] { *counted = true; });
  help_until([&] { return counted->load(); });
  measure_clocks_with_all(collective::end);
  if (all % of_messages != 0) collect_summary();
  const auto ranks = static_cast<std::uint64_t>(size());
  verify_end({.global = all / of_global == ranks,
              .messages = all / of_messages % field == ranks,
              .leaks = all / of_leaks % field == ranks});
}

void core::close_engine() {
  try {
    engine_->close();
  } catch (...) {
    engine_->abandon();
    throw;
  }
  refuse_left_over();
  if (summary_.heard() > 0) summary_.print(options_.summary);
}

void core::let_go() noexcept {
  broken_ = true;
  if (heartbeat_ != nullptr) heartbeat_->stop();
  team_->stop();
  engine_->abandon();
  trial_.reset();
  devices_.reset();
}

/// Memory of the program is about to end that this rank still works on, and there is no waiting.
void core::stop(ownership::slot datum) noexcept {
  if (std::this_thread::get_id() != thread_) return;  // A worker cannot wait for itself.
  let_go();
  if (life_ != life::open) return;
  life_ = life::stopped;
  try {
    stopped_by_ = known_as(datum);
    const std::lock_guard lock(failure_mutex_);
    if (failure_ != nullptr) return;
    stopped_alone_ = true;
    failure_ = std::make_exception_ptr(ended_early("last call", last_call_));
  } catch (...) {  // No memory to say so.
  }
}

error core::ended_early(std::string what, place where) const {
  return error(error_code::session_closed,
               "the session has ended: an exception passed memory that it still worked on",
               {{std::move(what), to_string(where)}, {"in place", stopped_by_}},
               "catch it where the handle still lives, or let it end the session, too");
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
  if (team_->main_runs_tasks()) {
    sum.program = elapsed() - team_->main().times.in_calls() - undeferred_.spent();
  } else {  // It has run tasks in place of its one worker, which has rested.
    sum.idle -= std::min(sum.idle, undeferred_.spent());
  }
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
