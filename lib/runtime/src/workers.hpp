// SPDX-License-Identifier: MIT
#pragma once

#include <deed/tasks/graph.hpp>
#include <deed/tasks/ranked_list.hpp>
#include <deed/tasks/ready_queue.hpp>
#include <deed/tasks/recycler.hpp>
#include <deed/trace/stream.hpp>

#include "asymmetric_barrier.hpp"
#include "completion_wait.hpp"
#include "crash_note.hpp"
#include "parking.hpp"
#include "recording.hpp"
#include "scratch.hpp"
#include "sleepers.hpp"
#include "tally.hpp"
#include "thread_times.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

/// @file
/// The threads of a session: who runs tasks, who looks at the network, and who sleeps.

namespace deed::runtime {

struct node;
struct task_node;
struct known_codelet;

/// When a thread that runs one task after the other looks at the clock and at the network: about
/// every 20 microseconds. A look costs as much as a small task, so that it is not made after each.
class pacing {
 public:
  using time = std::chrono::nanoseconds;

  /// Before each task: whether it is time for a look.
  [[nodiscard]] bool due() noexcept {
    at_clock_ = false;
    if (left_ == 0) return true;
    --left_;
    return false;
  }
  /// Time that passed in tasks and is not told yet; none at the first look after a rest.
  time look(time now) noexcept {
    stride_ = !running_ || now - last_ > often_enough ? 1 : std::min(2 * stride_, longest);
    left_ = stride_ - 1;
    last_ = now;
    if (!std::exchange(running_, true)) told_ = now;
    return now - std::exchange(told_, now);
  }
  /// The same behind a task that was timed.
  time pass(time now) noexcept {
    at_clock_ = true;
    return now - std::exchange(told_, now);
  }
  /// So much of the time was none of tasks.
  void leave_out(time passed) noexcept { told_ += passed; }
  /// No task began since then.
  [[nodiscard]] bool at_clock() const noexcept { return at_clock_; }
  [[nodiscard]] bool running() const noexcept { return running_; }
  /// When the last look was.
  [[nodiscard]] time last() const noexcept { return last_; }
  void stop() noexcept {
    running_ = false;
    left_ = 0;
  }

 private:
  static constexpr time often_enough = std::chrono::microseconds(20);
  static constexpr unsigned longest = 31;  // Tasks. Odd: of two that take turns, it meets both.

  time last_{}, told_{};
  unsigned left_ = 0, stride_ = 1;
  bool running_ = false, at_clock_ = false;
};

/// What a thread of the session is in: its own loop or the program, a task, a callback, or a look
/// at a task that is being inserted.
enum class running : std::uint8_t { program, task, callback, observer };

/// What one thread needs to run nodes. Threads: its own, but for the counters, which all may read.
struct alignas(64) context {
  explicit context(int rank) : crash(rank) {}

  std::unique_ptr<tasks::ready_queue::door> door;
  std::uint16_t seat = 0;            // And its door's number.
  tasks::vertex* next = nullptr;     // Became ready here: run it next, while its data are warm.
  bool keeps_next = true;            // False for a thread that may not come back to run it.
  bool runs_on = false;              // With what becomes ready here, or is about to, at once.
  tasks::vertex* claimed = nullptr;  // Becomes ready when others have run: look at it.
  pacing pace;
  bool looked = false;         // At the clock, before what it is about to run.
  unsigned quick_takes = 0;    // So many of tasks of others are not worth a wait.
  tasks::graph::bin meetings;  // To be used again.
  tasks::recycler<task_node>::bin tasks;
  running inside = running::program;
  std::string_view what;                            // Runs: the name of the task.
  std::atomic<const known_codelet*> runs{nullptr};  // The same, for others to look at.
  crash_note crash;
  scratch_room scratch;
  trace::stream nowhere;             // Records nothing.
  trace::stream* events = &nowhere;  // Of this thread.
  thread_activity said = thread_activity::running;
  std::atomic<std::uint64_t> completed{0};
  std::uint64_t completed_at_rest = ~std::uint64_t{0};  // When it last went to sleep.
  std::atomic<std::uint64_t> tasks_run{0};
  std::atomic<std::uint64_t> tasks_cancelled{0};
  std::atomic<std::int64_t> busy_ns{0};
  tally seen;  // Of other ranks.
  thread_times times;
};

/// Adds to a counter that one thread writes and others read.
template <class T>
void count(std::atomic<T>& counter, T more = 1) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + more, std::memory_order_release);
}

class core;

/// The contexts of a session, the first of which is the thread that made it, and their sleep.
class worker_team {
 public:
  /// `seats` threads run tasks at once. With two or more, the program's thread is one of them while
  /// it waits; with one, it sleeps then; with none, it is the only one.
  worker_team(core& home, int seats, std::unique_ptr<tasks::ready_queue> queue);
  ~worker_team();
  void start();
  /// Ends the threads. Threads: the one that made the session.
  void stop();

  [[nodiscard]] context& main() noexcept { return *contexts_.front(); }
  [[nodiscard]] bool main_runs_tasks() const noexcept { return main_runs_tasks_; }
  [[nodiscard]] std::uint64_t completed() const noexcept;
  /// There is a worker that would run all tasks if the program's thread did not.
  [[nodiscard]] bool may_choose() const noexcept;
  [[nodiscard]] const std::vector<std::unique_ptr<context>>& contexts() const noexcept {
    return contexts_;
  }
  [[nodiscard]] bool anything_ready() const noexcept;
  /// Tasks with a priority of their own.
  [[nodiscard]] tasks::ranked_list& ranked() noexcept { return ranked_; }
  /// The context of the calling thread, if that is a worker; else null.
  [[nodiscard]] context* worker_that_calls() const noexcept;

  /// The program's thread comes to its own core, as a worker, until the last of the result goes.
  /// Null: it is there, or has none.
  [[nodiscard]] std::shared_ptr<const void> visit() const;
  /// Before a worker takes what others made ready: where it is as quick as the submitter, it waits
  /// some microseconds for more to come. Otherwise the lines that hold a task and the queue would
  /// go to and fro between two cores for each.
  void let_gather(context& self) const;
  /// Something became ready that another thread could run.
  void call_for_help() noexcept;
  /// Several threads run tasks at once, and on cores of their own.
  [[nodiscard]] bool several() const noexcept { return several_; }
  /// This thread begins what may take long: another listens to the network meanwhile.
  void attend() noexcept { sleepers_.attend(); }
  void wake_everybody() noexcept;
  /// Sleeps until there may be something to do, or `done()`. `waits`: this thread can do nothing
  /// but wait; else the rank is not idle.
  template <class Done>
  void rest(context& self, Done&& done, std::chrono::nanoseconds at_most, bool waits = true);

  /// The same for the program's thread where it may not run tasks: it leaves the door to the
  /// workers and returns now and then, to look at the network while they are deep in long tasks.
  template <class Done>
  void rest_aside(Done&& done, std::chrono::nanoseconds at_most);
  /// The same where it may run tasks, but workers alone are quicker. The rank is not idle.
  template <class Done>
  void stand_aside(Done&& done, std::chrono::nanoseconds at_most);
  /// Sleeps until so many nodes are complete, the workers have nothing to do, or `at_most`.
  /// Threads: the submitter.
  void await_completed(std::uint64_t nodes, std::chrono::nanoseconds at_most);

  // Set by the thread that waits for all nodes, read by workers that run out of work. What else it
  // may wait for wakes it when it happens.
  std::atomic<bool> somebody_waits{false};

 private:
  static constexpr unsigned turns_between_looks = 64;

  void work(context& self);
  void wake_submitter(bool out_of_work) noexcept;

  core& home_;
  std::unique_ptr<tasks::ready_queue> queue_;
  tasks::ranked_list ranked_;
  std::vector<std::unique_ptr<context>> contexts_;
  bool main_runs_tasks_;
  bool several_;
  std::atomic<bool> stopping_{false};
  asymmetric_barrier barrier_;
  sleepers sleepers_{barrier_};
  parking submitter_{barrier_};
  completion_wait full_window_{barrier_};
  std::vector<std::jthread> threads_;
};

}  // namespace deed::runtime
