// SPDX-License-Identifier: MIT
#include "undeferred.hpp"

#include "core.hpp"

#include <algorithm>
#include <array>

namespace deed::runtime {

/// By a look at the workers' counters now and then: each costs their cache lines.
bool core::nothing_waits() noexcept {
  constexpr std::uint64_t between_looks = 64;  // Nodes.
  const std::uint64_t made = submitted_.load(std::memory_order_relaxed);
  const bool looks = made % between_looks == 0 || undeferred_.always();
  if (made != completed_seen_ && looks) completed_seen_ = team_->completed();
  return made == completed_seen_;
}

/// Tasks run at once from now on. What waits is brief, and ends first.
void core::begin_undeferred(context& self, std::uint64_t made) {
  wait_until_few_wait(self, made, 0);
  const auto now = environment_.time->now();
  if (completed_seen_ == made) {
    undeferred_.start(now);
  } else {
    undeferred_.stop(now);
  }
}

/// A task whose values are all here runs from now on. @return whether it is the first of its
/// codelet.
inline bool core::begin_plainly(context& self, const known_codelet& codelet) {
  const auto [first, may_last] = self.times.runs(codelet);
  if (may_last) [[unlikely]]
    team_->attend();
  self.inside = running::task;
  self.what = codelet.name;
  self.runs.store(&codelet, std::memory_order_release);
  return first;
}

inline void core::run_plainly(context& self, const body_operations& body, void* const* storages,
                              void* closure, bool& begun) {
  const auto bytes = body.scratch_bytes;
  std::byte* const room = bytes == nullptr ? nullptr : self.scratch.take(bytes(closure));
  begun = true;
  body.run({storages, closure, room});
}

inline void core::end_plainly(context& self) {
  self.crash.end();
  self.inside = running::program;
  self.runs.store(nullptr, std::memory_order_relaxed);
  count(self.tasks_run, std::uint64_t{1});
}

/// A plain task, while nothing waits: no order has to know of it, and no thread but this one.
void core::run_at_once(context& self, const task_description& task, const known_codelet& codelet) {
  std::array<void*, few_data> storages;
  void** storage = storages.data();
  bool usual = !measures_.load(std::memory_order_relaxed);
  for (const access_description& each : task.accesses) {
    replica& copy = here(each.datum);
    usual = usual && copy.storage != nullptr && copy.poison == nullptr;
    *storage++ = copy.storage;
    if (!writes(each.mode)) continue;
    last_writes_[each.datum] = each.where;
    copy.packed_bytes = 0;
  }
  if (!usual) [[unlikely]]
    return run_with_care(self, task, codelet);

  const bool first = begin_plainly(self, codelet);
  runs_at_once_.number = inserted_.load(std::memory_order_relaxed) - 1;
  runs_at_once_.codelet = &codelet;
  runs_at_once_.where = task.where;
  runs_at_once_.home = this;
  runs_at_once_.asked = &task;
  const bool timed = undeferred_.due() || first;
  bool begun = false;
  const auto begin = timed ? environment_.time->now() : pacing::time(0);
  self.crash.begin(runs_at_once_, *self.events);
  try {
    run_plainly(self, *task.body, storages.data(), task.closure, begun);
  } catch (...) {
    note_thrown(self, task, codelet, begun);
  }
  end_plainly(self);
  if (!timed) [[likely]]
    return;
  const auto now = environment_.time->now();
  self.times.took(codelet, now - begin);
  count(self.busy_ns, std::int64_t{undeferred_.took(now - begin, now).count()});
}

/// Whether an iteration that is kept may run in the order in which it was inserted: brief tasks,
/// whose values lie here.
bool core::may_run_in_order(const kept_iteration& kept) const {
  if (!undeferred_.chooses() && !undeferred_.always()) return false;
  return std::ranges::all_of(kept.nodes, [&](node* each) {
    if (each->kind != node_kind::task || each->access_count > few_data) return false;
    auto& task = static_cast<task_node&>(*each);
    return undeferred_.takes(*task.codelet) &&
           std::ranges::none_of(task.accesses(), &node_access::hit);
  });
}

/// So many iterations, or as many as it takes until the tasks are not brief: each task when those
/// that were inserted before it have run, so that none has to know of another. @return how many.
std::uint64_t core::run_in_order(const kept_iteration& kept, std::uint64_t times) {
  constexpr std::uint64_t between_looks = 31;  // Tasks. Odd: of two that take turns, it meets both.
  constexpr unsigned system_may_do = 1;        // Slow looks in a row.
  // Of all tasks since the last look. Beyond it the graph is taken for quicker: see `way_choice`.
  constexpr std::chrono::nanoseconds too_long(between_looks * 500);
  context& self = team_->main();
  const auto begin = environment_.time->now();
  waits_now_.store(true, std::memory_order_relaxed);  // In `repeat()`, for who asks.
  auto looked = begin;
  std::uint64_t done = 0, tasks = 0;
  unsigned slow_looks = 0;
  for (bool brief = true; brief && done < times; ++done) {
    if (failed_.load(std::memory_order_acquire)) break;
    for (node* const each : kept.nodes) {
      auto& task = static_cast<task_node&>(*each);
      const bool timed = tasks++ % between_looks == 0;
      run_again(self, task, timed);
      if (!timed) continue;
      // Not of this one alone: in an iteration of 31, it is the same each time.
      const auto now = environment_.time->now();
      const bool slow = undeferred_.chooses() && now - looked > too_long;
      slow_looks = slow ? slow_looks + 1 : 0;
      looked = now;
      brief = brief && undeferred_.takes(*task.codelet) && slow_looks <= system_may_do;
    }
  }
  waits_now_.store(false, std::memory_order_relaxed);
  const auto passed = environment_.time->now() - begin;
  undeferred_.add(passed);
  count(self.busy_ns, std::int64_t{passed.count()});
  rethrow_failure();
  return done;
}

void core::run_again(context& self, task_node& task, bool timed) {
  std::array<void*, few_data> storages;
  void** storage = storages.data();
  bool usual = !measures_.load(std::memory_order_relaxed);
  for (const node_access& each : task.accesses()) {
    replica& copy = each.datum();
    usual = usual && copy.storage != nullptr && copy.poison == nullptr;
    *storage++ = copy.storage;
    if (each.writes()) copy.packed_bytes = 0;
  }
  if (!usual) [[unlikely]] {
    self.looked = false;
    if (!cancelled(self, task)) perform(self, task);
    return come_round(task);
  }
  const known_codelet& codelet = *task.codelet;
  timed = begin_plainly(self, codelet) || timed;
  bool begun = false;
  const auto begin = timed ? environment_.time->now() : pacing::time(0);
  self.crash.begin(task, *self.events);
  try {
    run_plainly(self, *task.body, storages.data(), task.closure(), begun);
  } catch (...) {
    note_thrown(self, task, begun);
  }
  end_plainly(self);
  if (timed) [[unlikely]]
    self.times.took(codelet, environment_.time->now() - begin);
  come_round(task);
}

/// As the task would lie in the graph.
task_node& core::stand_in(const task_description& task, const known_codelet& codelet) {
  task_node& made = furnished(task, codelet);
  node_access* at = made.accesses().data();
  for (const access_description& each : task.accesses) at++->set(here(each.datum), each.mode);
  return made;
}

void core::put_back(task_node& task) noexcept {
  task.clear_closure();
  task.free_spilled();
  task.codelet = nullptr;  // Free: see `state`.
  tasks_.put_back(task);
}

/// A value is made first, there is none to be had, or the time of each task is wanted.
void core::run_with_care(context& self, const task_description& task,
                         const known_codelet& codelet) {
  task_node& made = stand_in(task, codelet);
  self.looked = false;
  const auto begin = environment_.time->now();
  if (!cancelled(self, made)) perform(self, made);
  const auto passed = environment_.time->now() - begin;
  undeferred_.add(passed);
  count(self.busy_ns, std::int64_t{passed.count()});
  self.said = thread_activity::running;
  put_back(made);
}

void core::note_thrown(context& self, const task_description& task, const known_codelet& codelet,
                       bool begun) {
  try {
    task_node& made = stand_in(task, codelet);
    note_thrown(self, made, begun);
    put_back(made);
  } catch (...) {  // No memory to say it with.
    fail(std::current_exception());
  }
}

}  // namespace deed::runtime
