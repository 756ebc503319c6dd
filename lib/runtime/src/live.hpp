// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

/// @file
/// What can be seen of a run from outside while it runs.

namespace deed::runtime {

/// What one rank has done, and does at this moment.
struct glance {
  std::uint64_t inserted = 0;             ///< Tasks, wherever they run.
  std::uint64_t run = 0;                  ///< Tasks, here.
  std::uint64_t submitted = 0, done = 0;  ///< Tasks and transfers here.
  std::uint64_t window = 0;               ///< Of those that are not done, before the program helps.
  std::uint64_t sent_bytes = 0;           ///< Payload.
  std::uint64_t copies_bytes = 0;         ///< That copies of other ranks' data take.
  std::uint64_t copies_hit = 0;           ///< A task found the copy that it reads,
  std::uint64_t copies_missed = 0;        ///< or it had to come.
  std::int64_t busy_ns = 0;               ///< Running tasks, one after the other, all workers.
  int workers = 0;                        ///< 0: their time is no real one.
  std::string waits;                      ///< "wait() at x.cpp:31"; empty: the program works.
  std::string waited;                     ///< In that case: where it waited last.
  std::string lacks;                      ///< "tag 4 from rank 1": the first that is not there,
  std::size_t lacking = 0;                ///< of so many.
  std::map<std::string, int> runs;        ///< Tasks of this name run at this moment, so many.
};

/// The sessions of this process that can be looked at. Threads: any.
class live_board {
 public:
  /// `whole`: also what the rank lacks, for which all that is open is looked through.
  using look = std::function<glance(bool whole)>;

  /// Asks the run to end at its next checkpoint. Any thread, also later ones, see it.
  void stop(int signal) noexcept { stopped_by_.store(signal, std::memory_order_relaxed); }
  /// The signal that asked for it; 0: none.
  [[nodiscard]] int stopped_by() const noexcept {
    return stopped_by_.load(std::memory_order_relaxed);
  }

  void add(int rank, look what);
  void remove(int rank) noexcept;

  /// "deed status 12:03:06", and a line for each rank.
  [[nodiscard]] std::string status() const;
  /// "[deed 12:03:06] 41,280 tasks run here of 96,000 inserted, 19.8k/s, busy 91 %, 212 MiB/s
  /// sent, cache 87 %, left 2.8 s", of the ranks here, since the last one. Of the cache, where
  /// copies were asked for by what was inserted; what is left, while all of them wait for what they
  /// inserted.
  [[nodiscard]] std::string progress(double seconds_since_last);

 private:
  mutable std::mutex mutex_;
  std::map<int, look> ranks_;
  glance before_;  // All ranks, at the last progress.
  std::atomic<int> stopped_by_{0};
};

[[nodiscard]] std::string name_of_signal(int signal);
/// "12:03:06", local time.
[[nodiscard]] std::string time_of_day();

struct live_options {
  bool speaks = true;     ///< Rank 0 lives here: what is said once is said here.
  bool progress = false;  ///< A line on standard error every two seconds.
  bool saves = false;     ///< The run writes checkpoints: a first signal lets it write one more.
};

/// While it lives: SIGUSR1 prints a status and stops nothing, SIGINT and SIGTERM end the process
/// with `exit_code::interrupted` and one report, at once or, the first, at the next checkpoint. A
/// signal that was ignored stays so.
///
/// Threads: made before all other threads of the process, which must not take these signals.
class live_watch {
 public:
  live_watch(live_board& board, live_options options);
  ~live_watch();
  live_watch(const live_watch&) = delete;

 private:
  void watch();

  live_board& board_;
  live_options options_;
  sigset_t watched_{}, before_{};
  int signals_ = -1, end_ = -1;
  std::thread thread_;
};

}  // namespace deed::runtime
