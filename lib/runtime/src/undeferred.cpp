// SPDX-License-Identifier: MIT
#include "undeferred.hpp"

#include "core.hpp"

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

  const auto [first, may_last] = self.times.runs(codelet);
  if (may_last) [[unlikely]]
    team_->attend();
  self.inside = running::task;
  self.what = codelet.name;
  self.runs.store(&codelet, std::memory_order_release);
  runs_at_once_.number = inserted_.load(std::memory_order_relaxed) - 1;
  runs_at_once_.codelet = &codelet;
  runs_at_once_.where = task.where;
  const bool timed = undeferred_.due() || first;
  bool begun = false;
  const auto begin = timed ? environment_.time->now() : pacing::time(0);
  self.crash.begin(runs_at_once_, *self.events);
  try {
    const auto bytes = task.body->scratch_bytes;
    std::byte* const room = bytes == nullptr ? nullptr : self.scratch.take(bytes(task.closure));
    begun = true;
    task.body->run({storages.data(), task.closure, room});
  } catch (...) {
    note_thrown(self, task, codelet, begun);
  }
  self.crash.end();
  self.inside = running::program;
  self.runs.store(nullptr, std::memory_order_relaxed);
  count(self.tasks_run, std::uint64_t{1});
  if (!timed) [[likely]]
    return;
  const auto now = environment_.time->now();
  self.times.took(codelet, now - begin);
  count(self.busy_ns, std::int64_t{undeferred_.took(now - begin, now).count()});
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
