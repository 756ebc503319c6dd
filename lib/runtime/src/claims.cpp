// SPDX-License-Identifier: MIT
#include "core.hpp"

#include <chrono>
#include <utility>

/// @file
/// A thread that completes a task and has no other waits for one that follows: it claims it.

namespace deed::runtime {

/// While the program inserts, a worker alone waits for nobody but itself.
bool core::may_claim(const context& self) const noexcept {
  const bool meets = team_->contexts().size() > 2 || waits_now_.load(std::memory_order_relaxed);
  return self.runs_on && meets && self.claimed == nullptr && self.next == nullptr &&
         self.door->empty();
}

namespace {

/// Asks for the line at once as it will be needed, and not first to look at it. Not what goes to
/// the thread that wrote its data: which that is can't be asked, as it may not be inserted yet.
bool can_be_claimed(const tasks::vertex& next) noexcept {
  __builtin_prefetch(&next, 1);
  const auto& waiting = static_cast<const node&>(next);
  return waiting.kind == node_kind::task && waiting.urgency == 0 &&
         !static_cast<const task_node&>(waiting).codelet->where_written.pays();
}

}  // namespace

/// `by` is complete, or (null) this gate is open, for which `next` waits.
void core::arrive(context& self, tasks::vertex& next, const node* by, released& now,
                  std::uint64_t gate) {
  using arrival = tasks::vertex::arrival;
  const bool recorded = self.events->enabled(trace::category::task);
  const std::uint64_t number = recorded ? static_cast<node&>(next).number : 0;  // Not behind it.
  const bool claims =
      by != nullptr && by->kind == node_kind::task && may_claim(self) && can_be_claimed(next);
  switch (claims ? next.arrive_or_claim() : next.arrive()) {
    case arrival::early:
      return;
    case arrival::last:
      return hand_over(self, next, by, now, gate);
    case arrival::claims:
      self.claimed = &next;
      return;
    case arrival::last_for_claimer:
      return record_ready(self, number, by, gate);
  }
}

/// It is next when it is ready; it is given up if that takes long, or there is other work.
void core::await_claimed(context& self) {
  constexpr int looks = 200, between_doors = 8, brief = 24;
  tasks::vertex& mine = *std::exchange(self.claimed, nullptr);
  std::chrono::nanoseconds since{};
  bool ready = false;
  int look = 0;
  for (; look < looks && self.next == nullptr && !ready; ++look) {
    if (look % between_doors == 0 && team_->anything_ready()) break;
    if (look == brief) {  // About a microsecond; what is shorter counts as part of the task.
      since = environment_.time->now();
      record_activity(self, thread_activity::dependency);
    }
    relax();
    ready = mine.take_claimed();
  }
  if (look > brief) self.pace.leave_out(environment_.time->now() - since);
  if (ready) {
    self.next = &mine;
  } else if (mine.unclaim()) {
    enqueue(self, static_cast<node&>(mine), self.seat);
    team_->call_for_help();
  }
}

}  // namespace deed::runtime
