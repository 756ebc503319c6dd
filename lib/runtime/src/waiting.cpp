// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/base/planted.hpp>

#include "about_datum.hpp"
#include "core.hpp"
#include "report.hpp"
#include "resting.hpp"

#include <algorithm>
#include <bit>
#include <memory>

namespace deed::runtime {

void core::wait(place where) {
  static_cast<void>(caller(call_kind::waits, where, "wait()"));
  wait_in(collective::wait, where);
}

void core::wait_in(collective call, place where) {
  if (!lent_.empty()) check_wait(where);
  check_gates(where);
  if (ledger_.any_open()) {
    const turn held(*this, team_->main());
    close_all_reductions(where);
  }
  if (planted(planted_bug::wait_returns_early)) return;
  log_step(common_step::kind::wait, std::nullopt, 0, where);
  wait_for_all(call, where);
  if (environment_.values != nullptr) note_values(where);
}

void core::begin_common(collective call, std::uint64_t number, place where) {
  const bool resumes = call == collective::resume;
  static_cast<void>(caller(call_kind::waits, where, call_name(call)));
  for (const borrow_node* lent : lent_) {
    check_borrows({this, lent->datum, resumes ? access_mode::write : access_mode::read, where});
  }
  common_step step;
  step.is = resumes ? common_step::kind::resume : common_step::kind::checkpoint;
  step.tag = number;
  step.where = where;
  log_.add(step);
  wait_in(call, where);
}

void core::wait_for_all(collective kind, place where) {
  const bool ends = kind == collective::close;
  waits_in(std::string(call_name(kind)) + (ends ? "" : " at " + to_string(where)));
  if (recorder_ != nullptr) {
    const turn held(*this, team_->main());
    app().wait_begin(trace::wait_kind::all, epoch_, recorder_->location(where));
  }
  const bool settles = options_.exceptions == on_exception::propagate;
  // A round that nobody waits for, ever more seldom: a program that waits a thousand times pays for
  // ten of them, and one that has gone astray has not gone twice as far when it is told.
  // In verify mode each time, and before the session ends: there it may wait for ever.
  // What is kept on a disk is worth a comparison, too.
  const bool seldom = !ends && (kind != collective::wait || std::has_single_bit(epoch_ + 1));
  const bool always = verify_ != nullptr && verify_->on.global;
  const auto told = std::make_shared<std::atomic<int>>(0);  // It may come when this call is over.
  const bool compares = !settles && (seldom || always);
  if (compares) {
    begin_round(kind, 0, where, [told](std::uint64_t) { ++*told; });
    begin_census([told] { ++*told; });
  }
  help_until([this] { return at_rest(); }, true);
  // A program that went astray is told so before it uses what it waited for; but `wait()` is no
  // barrier: another rank may have to do much first, or wait for this one.
  constexpr auto patience = std::chrono::milliseconds(10);
  if (compares && !ends) linger([&] { return told->load() == 2; }, patience);
  app().wait_end(trace::wait_kind::all, epoch_);
  record_digest();
  if (!ends) measure_clocks_again();
  ++epoch_;
  if (environment_.dry != nullptr) note_memory();
  rethrow_failure();
  if (settles) settle(kind, where);
}

void core::barrier(place where) {
  static_cast<void>(caller(call_kind::waits, where, "barrier()"));
  waits_in("barrier() at " + to_string(where));
  static_cast<void>(agree(collective::barrier, 0, where));
}

bool core::any(bool mine, place where) {
  static_cast<void>(caller(call_kind::waits, where, "any()"));
  waits_in("any() at " + to_string(where));
  return agree(collective::any, mine ? 1 : 0, where) != 0;
}

std::vector<std::uint64_t> core::reduce(std::vector<std::uint64_t> words,
                                        transport::reduce_with how) {
  struct reduction {
    std::vector<std::uint64_t> words;
    std::atomic<bool> here{false};
  };
  const auto shared = std::make_shared<reduction>();  // It may come when this call has failed.
  engine_->all_reduce(words, how, [this, shared](std::span<const std::uint64_t> result) {
    shared->words.assign(result.begin(), result.end());
    shared->here.store(true, std::memory_order_release);
    if (team_ != nullptr) team_->wake_everybody();
  });
  help_until([&] { return shared->here.load(std::memory_order_acquire); });
  return std::move(shared->words);
}

std::uint64_t core::agree(collective kind, std::uint64_t word, place where) {
  struct agreement {
    std::uint64_t sum = 0;
    std::atomic<bool> here{false};
  };
  const auto shared = std::make_shared<agreement>();  // It may come when this call has failed.
  const recorded_wait recorded =
      record_wait(trace::wait_kind::barrier, static_cast<std::uint64_t>(kind), where);
  begin_round(kind, word, where, [shared](std::uint64_t sum) {
    shared->sum = sum;
    shared->here.store(true, std::memory_order_release);
  });
  in_round_ = true;
  help_until([&] { return shared->here.load(std::memory_order_acquire); });
  in_round_ = false;
  return shared->sum;
}

void core::check_wait(place where) const {
  // A task behind a live borrow waits for this thread, which would wait for the task.
  for (const borrow_node* lent : lent_) {
    if (!tasks::graph::is_followed(lent->only.datum().order, *lent, lent->only.at)) continue;
    throw error_about(
        about(lent->datum),
        error(error_code::wait_for_ever, "`wait()` would wait for ever",
              {{"waits", to_string(where) + " for a task on " + quoted(name_of(lent->datum))},
               {"borrowed", std::string(to_string(lent->mode)) + " at " + to_string(lent->where)}},
              "end the borrow first: close its scope"));
  }
}

bool core::all_done() const noexcept {
  // In this order: a callback submits before it is complete itself.
  const std::uint64_t completed = team_->completed();
  return completed + lent_count_.load(std::memory_order_relaxed) >=
         submitted_.load(std::memory_order_acquire);
}

void core::fail(std::exception_ptr reason) noexcept {
  note_end(reason);  // The process may end here.
  {
    const std::lock_guard lock(failure_mutex_);
    if (failure_ == nullptr) failure_ = std::move(reason);
  }
  if (environment_.give_up && options_.exceptions == on_exception::abort)
    environment_.give_up(reason_of_failure());
  failed_.store(true, std::memory_order_release);
  if (team_ != nullptr) team_->wake_everybody();
}

std::exception_ptr core::reason_of_failure() const {
  const std::lock_guard lock(failure_mutex_);
  return failure_;
}

std::exception_ptr core::take_failure() {
  const std::lock_guard lock(failure_mutex_);
  failed_.store(false, std::memory_order_relaxed);
  return std::exchange(failure_, nullptr);
}

void core::rethrow_failure() {
  if (!failed_.load(std::memory_order_acquire)) return;
  const std::exception_ptr reason = take_failure();
  broken_ = true;  // Policy `abort`: tasks and messages are left as they are.
  if (reason) std::rethrow_exception(reason);
}

}  // namespace deed::runtime
