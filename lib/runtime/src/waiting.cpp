// SPDX-License-Identifier: MIT
#include "core.hpp"
#include "report.hpp"
#include "resting.hpp"

#include <deed/base/error.hpp>

namespace deed::runtime {

void core::wait(place where) {
  check_call(where);
  if (!lent_.empty()) check_wait(where);
  help_until([this] { return all_done() && engine_->quiet(); });
  rethrow_failure();
}

void core::barrier(place where) {
  check_call(where);
  static_cast<void>(agree(0, transport::reduce_with::max));
}

bool core::any(bool mine, place where) {
  check_call(where);
  return agree(mine ? 1 : 0, transport::reduce_with::max) != 0;
}

std::uint64_t core::agree(std::uint64_t word, transport::reduce_with operation) {
  std::atomic<bool> done{false};
  std::uint64_t result = 0;
  engine_->all_reduce(std::span(&word, 1), operation, [&](std::span<const std::uint64_t> words) {
    result = words.front();
    done.store(true, std::memory_order_release);
    team_->wake_everybody();
  });
  help_until([&] { return done.load(std::memory_order_acquire); });
  return result;
}

void core::check_wait(place where) const {
  // A task behind a live borrow waits for this thread, which would wait for the task.
  for (const borrow_node* lent : lent_) {
    if (!tasks::graph::is_followed(lent->only.datum().order, *lent, lent->only.at)) continue;
    throw error(error_code::wait_for_ever, "`wait()` would wait for ever",
                {{"waits", to_string(where) + " for a task on " + quoted(name_of(lent->datum))},
                 {"borrowed", std::string(to_string(lent->mode)) + " at " + to_string(lent->where)}},
                "end the borrow first: close its scope");
  }
}

bool core::all_done() const noexcept {
  return team_->completed() + lent_count_.load(std::memory_order_relaxed) >=
         submitted_.load(std::memory_order_acquire);
}

void core::fail(std::exception_ptr reason) noexcept {
  {
    const std::lock_guard lock(failure_mutex_);
    if (failure_ == nullptr) failure_ = std::move(reason);
  }
  failed_.store(true, std::memory_order_release);
}

void core::rethrow_failure() {
  if (!failed_.load(std::memory_order_acquire)) return;
  std::exception_ptr reason;
  {
    const std::lock_guard lock(failure_mutex_);
    reason = std::exchange(failure_, nullptr);
    failed_.store(false, std::memory_order_relaxed);
  }
  if (reason) std::rethrow_exception(reason);
}

}  // namespace deed::runtime
