// SPDX-License-Identifier: MIT
#include "core.hpp"
#include "device_failures.hpp"
#include "page_guard.hpp"
#include "report.hpp"

#include <algorithm>
#include <array>

namespace deed::runtime {

/// What this thread runs next; null: nothing is ready.
tasks::vertex* core::take(context& self) {
  tasks::vertex* const kept = std::exchange(self.next, nullptr);
  if (tasks::vertex* const urgent = team_->ranked().pop_urgent()) {
    if (kept == nullptr) return urgent;
    self.door->push(*kept);  // For whoever is free.
    team_->call_for_help();
    return urgent;
  }
  if (kept != nullptr) return kept;
  tasks::vertex* ready = self.door->pop();
  if (ready == nullptr) {
    team_->let_gather(self);
    ready = self.door->take_from_others();
  }
  if (ready == nullptr) ready = team_->ranked().pop();
  if (ready == nullptr && devices_ != nullptr) ready = devices_->next_parked();
  return ready;
}

bool core::step(context& self) {
  self.next = take(self);  // So that what becomes ready before it runs is for whoever is free.
  if (self.next == nullptr) {
    stop_running(self);
    return listen(self);
  }
  if (devices_ != nullptr) static_cast<void>(devices_->step(self, 1));
  for (;;) {
    run_next(self);
    if (self.keeps_next || self.next == nullptr) return true;
    self.next = take(self);  // The program may not come back to run it.
  }
}

/// What follows it at once is next.
void core::run_next(context& self) {
  self.looked = self.pace.due();
  if (self.looked) look_around(self);
  const struct at_end {
    context& of;
    ~at_end() { of.runs_on = false; }
  } runs{self};
  self.runs_on = !self.looked && team_->several() && devices_ == nullptr;
  execute(self, static_cast<node&>(*std::exchange(self.next, nullptr)));
  if (self.claimed != nullptr) await_claimed(self);
}

bool core::listen(context& self) {
  constexpr int polls = 50;  // Of devices, before a thread sleeps.
  const bool heard = engine_->progress();
  const bool drained = drain_finished(self);
  return (devices_ != nullptr && devices_->step(self, polls)) || heard || drained;
}

void core::count_busy(context& self) noexcept {
  if (environment_.simulated) return;  // Counted task by task: other ranks run in between.
  count(self.busy_ns, self.pace.look(environment_.time->now()).count());
}

void core::stop_running(context& self) noexcept {
  if (!self.pace.running()) return;
  if (!self.pace.at_clock()) count_busy(self);
  self.pace.stop();
}

/// Ends with a look at the clock, which is when the task begins that comes next.
void core::look_around(context& self) {
  if (self.pace.running()) {
    static_cast<void>(listen(self));
  } else {
    self.times.goes_on();  // It comes from a look at the network.
  }
  count_busy(self);
}

bool core::drain_finished(context& self) {
  if (finished_.empty()) return false;
  if (packs_.any()) [[unlikely]]
    packs_.write(*self.events);
  note_work();
  node* at = finished_.take();
  while (at != nullptr) {
    node& done = *at;
    at = at->next;
    if (done.kind == node_kind::collective) {  // Its next stage may take long: for whoever is free.
      self.door->push(done);
      team_->call_for_help();
      continue;
    }
    auto& transfer = static_cast<transfer_node&>(done);
    if (transfer.counted) end_loose(transfer);
    unpack(self, transfer);
    record_done(self, transfer);
    if (lost_with_device(transfer)) {
      if (transfer.kind == node_kind::send)
        note(self, *failure_of_device(transfer.failure, rank_), transfer.only.datum().number);
    } else if (transfer.failure != nullptr && !misfits(transfer)) {
      record_failure(self, transfer.failure, transfer.only.datum().number, trace::no_task,
                     made_at(transfer.failure));
      fail(transfer.failure);
    }
    if (transfer.packed.capacity() > 0) packed_buffers_.give_back(std::move(transfer.packed));
    const message_status status = status_of(transfer);
    if (transfer.after != nullptr) transfer.after->status = status;
    request_state* const request = release(transfer);
    if (request != nullptr && transfer.kind == node_kind::receive)
      request->why = transfer.only.datum().poison;
    if (transfer.kind == node_kind::receive) note_arrival(self, transfer);
    if (transfer.recurs() != nullptr) {
      come_round(transfer);
      complete(self, transfer, transfer.accesses());
      continue;
    }
    complete(self, transfer, transfer.accesses());
    transfers_.give_back(transfer);
    if (request != nullptr && request->complete(status)) team_->wake_everybody();
  }
  return true;
}

/// The program's thread, where it runs no tasks, has a worker that waits.
void core::note_arrival(context& self, const transfer_node& received) {
  if (received.access_count == 0) return;
  if (&self == &team_->main() && !team_->main_runs_tasks()) return;
  const replica& datum = received.only.datum();
  self.times.came({datum.name, datum.i, datum.j, received.receiving.peer.value, received.where});
}

void core::execute(context& self, node& ready) {
  note_work();
  if (ready.kind != node_kind::task) return execute_other(self, ready);
  auto& task = static_cast<task_node&>(ready);
  if (cancelled(self, task)) return retire(self, task, task.recurs() != nullptr);
  if (devices_ != nullptr && devices_->take(self, ready)) return;
  if (environment_.dry != nullptr) return pretend(self, task);
  run_task(self, task);
}

void core::execute_other(context& self, node& ready) {
  if (devices_ != nullptr && devices_->take(self, ready)) return;
  switch (ready.kind) {
    case node_kind::task:
      return;
    case node_kind::send:
    case node_kind::receive:
      begin(self, static_cast<transfer_node&>(ready));
      return;
    case node_kind::collective:
      run_collective(self, static_cast<collective_node&>(ready));
      return;
    case node_kind::after:
      run_after(self, static_cast<after_node&>(ready));
      return;
    case node_kind::borrow: {
      auto& borrow = static_cast<borrow_node&>(ready);
      borrow.granted.store(true, std::memory_order_release);
      team_->wake_everybody();
      return;
    }
    case node_kind::claim:
    case node_kind::drop:
    case node_kind::gain:
    case node_kind::lose: {
      auto& care = static_cast<borrow_node&>(ready);
      take_care(care, care.only.datum());
      complete(self, care, care.accesses());
      borrows_.give_back(care);
      return;
    }
    case node_kind::combine:
      combine(self, static_cast<borrow_node&>(ready));
      return;
    case node_kind::end: {
      auto& last = static_cast<borrow_node&>(ready);
      replica& ended = last.only.datum();
      ended.free_storage();
      complete(self, last, last.accesses());
      delete &ended;
      last.kind = node_kind::borrow;  // Free: see `drop_unfinished`.
      borrows_.give_back(last);
      return;
    }
  }
}

void core::run_body(context& self, task_node& task, void* const* storages, bool& begun) {
  if (task.body->scratch_bytes == nullptr) return run_body(task, {storages, task.closure()}, begun);
  std::byte* const room = self.scratch.take(task.body->scratch_bytes(task.closure()));
  run_body(task, {storages, task.closure(), room}, begun);
}

/// In verify mode it may change only what it writes.
void core::run_body(task_node& task, const task_frame& frame, bool& begun) {
  if (verify_ == nullptr || !verify_->on.pages) {
    begun = true;
    return task.body->run(frame);
  }
  const page_guard guard(rank_, task, task.accesses());
  begun = true;
  task.body->run(frame);
  try {
    guard.check();
  } catch (...) {
    fail(std::current_exception());
  }
}

/// Else one now and then is enough.
bool core::times_each_task() const noexcept {
  return environment_.simulated || measures_.load(std::memory_order_relaxed) ||
         (devices_ != nullptr && devices_->measures());
}

/// Of a task that begins now.
std::chrono::nanoseconds core::time_of_begin(const context& self) const noexcept {
  return self.looked && !environment_.simulated ? self.pace.last() : environment_.time->now();
}

/// A task has run, and is not complete yet.
void core::note_time(context& self, task_node& task, std::chrono::nanoseconds begin,
                     written_by last) {
  if (environment_.simulated && !flops_.empty()) spend_time_of(self, task.number);
  const std::chrono::nanoseconds now = environment_.time->now(), passed = now - begin;
  self.times.took(*task.codelet, passed);
  if (last != written_by::nobody)
    task.codelet->where_written.took(last == written_by::this_thread, passed);
  if (environment_.simulated) {
    count(self.busy_ns, std::int64_t{passed.count()});
  } else if (self.pace.running()) {
    count(self.busy_ns, std::int64_t{self.pace.pass(now).count()});
  }
  if (devices_ != nullptr && devices_->measures()) devices_->ran_here(task, passed);
  if (!measures_.load(std::memory_order_relaxed)) return;
  const auto written = std::ranges::find_if(task.accesses(), &node_access::writes);
  if (written != task.accesses().end()) written->datum().took_ns += passed.count();
}

void core::run_task(context& self, task_node& task) {
  const tasks::recurrence* const again = task.recurs();  // While its line is here.
  __builtin_prefetch(again, 1);                          // Another core may have run it last.
  perform(self, task);
  retire(self, task, again != nullptr);
}

/// It has run then, and is not complete yet.
void core::perform(context& self, task_node& task) {
  std::array<void*, few_data> lying;
  std::vector<void*> more(task.access_count > few_data ? task.access_count : 0);
  void** const storages = more.empty() ? lying.data() : more.data();
  std::size_t pooled = 0;  // So many of the first have what is to be given back among them.

  const auto [first, may_last] = self.times.runs(*task.codelet);
  if (may_last) [[unlikely]]
    team_->attend();
  const auto accesses = task.accesses();
  self.events->task_begin(task.number, task.codelet->number);
  self.said = thread_activity::scheduling;  // From its end on.
  trace::task_status status = trace::task_status::ok;
  bool begun = false;
  self.inside = running::task;
  self.what = task.codelet->name;
  self.runs.store(task.codelet, std::memory_order_release);
  const bool timed = first || self.looked || times_each_task();
  const auto wrote_it = timed ? last_writer(self, accesses) : written_by::nobody;
  const auto begin = timed ? time_of_begin(self) : pacing::time(0);
  if (logs(log_level::debug)) [[unlikely]]
    log_task(task);
  try {
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      replica& copy = accesses[i].datum();
      if (accesses[i].hit()) self.seen.saved(copy.origin, bytes_on_the_wire(copy));
      tasks::graph::ask_for(accesses[i].at);
      if (accesses[i].writes()) {
        if (copy.packed_bytes != 0) copy.packed_bytes = 0;  // Its line stays where it is read.
        __builtin_prefetch(copy.storage, 1);
      }
      if (copy.pool != nullptr) [[unlikely]] {
        storages[i] = copy.pool->take();
        pooled = i + 1;
      } else {
        const bool makes = accesses[i].writes() && copy.storage == nullptr;
        storages[i] = makes ? copy.make_storage(&blocks_) : copy.storage;
      }
    }
    self.crash.begin(task, *self.events);
    if (task.body->scratch_bytes == nullptr && verify_ == nullptr) [[likely]] {
      begun = true;
      task.body->run({storages, task.closure()});
    } else {
      run_body(self, task, storages, begun);
    }
    self.crash.end();
    heal(accesses);
    note_writer(self, accesses);
  } catch (...) {
    self.crash.end();
    status = trace::task_status::threw;
    note_thrown(self, task, begun);
  }
  self.inside = running::program;
  self.runs.store(nullptr, std::memory_order_relaxed);
  if (timed) [[unlikely]]
    note_time(self, task, begin, wrote_it);
  for (std::size_t i = 0; i < pooled; ++i) {
    replica& copy = accesses[i].datum();
    if (copy.pool != nullptr) copy.pool->give_back(storages[i]);
  }
  count(self.tasks_run, std::uint64_t{1});
  self.events->task_end(task.number, status);
}

/// In a handler of what its body threw.
void core::note_thrown(context& self, task_node& task, bool begun) {
  const auto accesses = task.accesses();
  const shared_failure why = failure_of(task, std::current_exception(), begun);
  spoil(accesses, why);
  note(self, *why, accesses.empty() ? trace::nothing : accesses[0].datum().number);
}

void core::retire(context& self, task_node& task, bool again) {
  if (again) [[unlikely]] {
    come_round(task);
    complete(self, task, task.accesses());
    if (environment_.pass) environment_.pass();
    return;
  }
  task.clear_closure();
  complete(self, task, task.accesses());
  dismiss(self, task);
}

void core::dismiss(context& self, task_node& task) {
  task.free_spilled();
  task.codelet = nullptr;  // Free: see `state`.
  tasks_.give_back(task, self.tasks);
  if (environment_.pass) environment_.pass();
}

std::uint64_t core::take_flops(std::uint64_t task) {
  const auto known = flops_.extract(task);
  return known.empty() ? 0 : known.mapped();
}

/// A virtual core does ten operations per nanosecond.
void core::spend_time_of(context& self, std::uint64_t task) {
  std::chrono::nanoseconds left(take_flops(task) / 10);
  if (!environment_.spend_until_news) {
    if (left.count() != 0) environment_.spend(left);
    return;
  }
  while (left.count() > 0) {
    left = environment_.spend_until_news(left);
    if (left.count() > 0) static_cast<void>(listen(self));  // As the program's thread would.
  }
}

void core::complete(context& self, node& done, std::span<node_access> accesses) {
  if (done.leased) devices_->release(done);
  hand_on(self, done, accesses);
  count(self.completed, std::uint64_t{1});
}

void core::hand_on(context& self, node& done, std::span<node_access> accesses) {
  released now;
  const auto tell = [&](tasks::vertex& next) { arrive(self, next, &done, now); };
  for (node_access& each : accesses) graph_.leave(each.at, self.meetings, tell);
  tasks::graph::finish(done, tell);
  if (now.on_the_door || now.transfers != nullptr) hand_out(self, now);
}

namespace {

/// What a task waited for, in the words of a recording: a task's number, or a datum and its
/// version, or a gate.
std::pair<trace::ready_cause, std::uint64_t> cause_of(const node* by, std::uint64_t gate) {
  if (by == nullptr) return {trace::ready_cause::gate, gate};
  if (by->kind == node_kind::task) return {trace::ready_cause::task, by->number};
  if (!is_transfer(*by)) return {trace::ready_cause::user, 0};
  const auto& transfer = static_cast<const transfer_node&>(*by);
  return {trace::ready_cause::transfer,
          (std::uint64_t{transfer.only.datum().number} << 32) | transfer.version};
}

}  // namespace

void core::record_ready(context& self, std::uint64_t task, const node* by, std::uint64_t gate) {
  if (!self.events->enabled(trace::category::task)) [[likely]]
    return;
  const auto [cause, of] = cause_of(by, gate);
  self.events->task_ready(task, cause, of);
}

/// `next` waits for nothing any more; `by` was the last, or (null) this gate.
void core::hand_over(context& self, tasks::vertex& next, const node* by, released& now,
                     std::uint64_t gate) {
  auto& ready = static_cast<node&>(next);
  if (ready.kind == node_kind::task) record_ready(self, ready.number, by, gate);
  if (is_transfer(ready) && !tries_orders()) {
    ready.next = std::exchange(now.transfers, &ready);
    return;
  }
  const std::uint16_t seat = seat_for(self, ready);
  const bool may_be_next = (self.keeps_next || self.runs_on) && self.next == nullptr;
  if (may_be_next && ready.urgency == 0 && seat == self.seat) {
    self.next = &next;
    return;
  }
  enqueue(self, ready, seat);
  now.on_the_door = true;
}

void core::enqueue(context& self, node& ready, std::uint16_t seat) {
  if (ready.urgency != 0) {
    team_->ranked().push(ready, ready.urgency);
  } else if (seat != self.seat) {
    auto& task = static_cast<task_node&>(ready);
    self.door->leave_at(seat, task, task.accesses().front().at.entry);
  } else {
    self.door->push(ready);
  }
}

namespace {

/// Messages may stand behind others, and leave when nobody looks at the network behind them.
void leaves_with_others(node& one) noexcept {
  if (one.kind != node_kind::send) return;
  transport::send_operation& sending = static_cast<transfer_node&>(one).sending;
  sending.more = sending.what.kind != transport::transfer_kind::message;
}

}  // namespace

/// Another rank waits for what is sent: it does not wait for the tasks that are ready here. (Where
/// virtual ranks try all orders, it may.)
void core::hand_out(context& self, released& now) {
  if (now.on_the_door) team_->call_for_help();
  if (now.transfers == nullptr) return;
  node* first = nullptr;  // In the order in which they became ready.
  while (now.transfers != nullptr) {
    node* const one = std::exchange(now.transfers, now.transfers->next);
    one->next = std::exchange(first, one);
  }
  const bool several = first->next != nullptr && devices_ == nullptr;
  while (first != nullptr) {
    node& one = *std::exchange(first, first->next);
    if (several) leaves_with_others(one);
    execute(self, one);
  }
  static_cast<void>(engine_->flush());
}

}  // namespace deed::runtime
