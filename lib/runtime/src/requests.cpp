// SPDX-License-Identifier: MIT
#include "requests.hpp"

#include <deed/base/error.hpp>
#include <deed/base/undone.hpp>

#include "about_datum.hpp"
#include "core.hpp"
#include "report.hpp"
#include "resting.hpp"

namespace deed {
namespace {

void require(const runtime::request_state* state, place where) {
  if (state != nullptr) return;
  throw error(error_code::request_completed, "the request was moved, and stands for nothing",
              {{"used", to_string(where)}}, "use the request that it was moved into");
}

}  // namespace

request::~request() {
  if (state_ == nullptr) return;
  runtime::core& home = *state_->home;
  home.note_dropped(*state_);
  state_->drop();
  home.drop();
}

message_status request::wait(place where) {
  require(state_, where);
  state_->home->wait_for(*state_, where);
  return state_->status;
}

bool request::test(place where) {
  require(state_, where);
  return state_->home->test(*state_, where);
}

message_status request::status(place where) const {
  require(state_, where);
  if (!state_->tested && !state_->waited) {
    throw error(error_code::request_completed, "the request is not known to be complete",
                {{"asked", to_string(where)}, {"started", to_string(state_->where)}},
                "ask after `wait()`, or after a `test()` that said so");
  }
  return state_->status;
}

bool request::cancel(place where) {
  require(state_, where);
  return state_->home->cancel(*state_, where);
}

namespace runtime {

void core::wait_for(request_state& what, place where) {
  static_cast<void>(caller(call_kind::waits, where, "request::wait()"));
  if (what.waited) {
    throw error(error_code::request_completed, "request was already completed",
                {{"second wait", to_string(where)}, {"first wait", to_string(*what.waited)}},
                "remove it");
  }
  waits_in("wait() for the request of " + to_string(what.where) + ", at " + to_string(where));
  what.awaited.store(true, std::memory_order_seq_cst);
  const recorded_wait recorded = record_wait(what, where);
  help_until([&] { return undone("request") || what.done.load(std::memory_order_seq_cst); });
  rethrow_failure();
  what.waited = where;
  if (what.why == nullptr) return;
  account alone;
  alone.add(*what.why);
  std::rethrow_exception(exception_of(alone, true));
}

bool core::test(request_state& what, place where) {
  static_cast<void>(caller(call_kind::waits, where, "request::test()"));
  if (!what.done.load(std::memory_order_acquire)) {
    const time_passed helps(team_->main().times, *environment_.time, &thread_times::called);
    const bool worked = team_->main_runs_tasks() ? step(team_->main()) : listen(team_->main());
    stop_running(team_->main());
    if (!worked && environment_.pass) environment_.pass();
    rethrow_failure();
  }
  what.tested = what.tested || what.done.load(std::memory_order_acquire);
  return what.tested;
}

bool core::cancel(request_state& what, place where) {
  context& self = caller(call_kind::submits, where);
  const turn held(*this, self);
  const std::lock_guard lock(messages_.mutex());
  transfer_node* const transfer = what.transfer;
  if (transfer == nullptr || transfer->kind != node_kind::receive) return false;
  const bool without_value = what.first_value && ledger_.version(what.slot) == what.version &&
                             data_[what.slot].here != nullptr;
  if (without_value && !ledger_.is_per_rank(what.slot) && size() > 1) {
    throw error_about(
        about(what.slot),
        error(error_code::read_before_written,
              quoted(name_of(what.slot)) + " would have no value, and other ranks expect one",
              {{"cancelled", to_string(where)},
               {"received", to_string(what.where)},
               {"registered", to_string(data_[what.slot].where) + " without a value"}},
              "register it with a value, or with `deed::per_rank`"));
  }
  if (without_value &&
      tasks::graph::is_followed(transfer->only.datum().order, *transfer, transfer->only.at)) {
    throw error_about(
        about(what.slot),
        error(error_code::read_before_written,
              quoted(name_of(what.slot)) + " would be read, but nothing writes it",
              {{"cancelled", to_string(where)}, {"received", to_string(what.where)}},
              "cancel it before anything that reads it is submitted, or register a value"));
  }
  if (transfer->started && !engine_->cancel(transfer->receiving)) return false;
  if (without_value) ledger_.take_back(what.slot);
  if (verify_ != nullptr)
    verify_->messages.take_back(transfer->receiving.peer.value, transfer->receiving.what.tag,
                                what.where);
  transfer->cancelled = true;
  transfer->request = nullptr;
  what.transfer = nullptr;
  if (transfer->started) finished(*transfer);
  if (what.complete(what.status)) team_->wake_everybody();
  what.tested = true;
  return true;
}

}  // namespace runtime
}  // namespace deed
