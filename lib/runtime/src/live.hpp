// SPDX-License-Identifier: MIT
#pragma once

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
  std::string waits;                      ///< "wait() at x.cpp:31"; empty: the program works.
};

/// The sessions of this process that can be looked at. Threads: any.
class live_board {
 public:
  using look = std::function<glance()>;

  void add(int rank, look what);
  void remove(int rank) noexcept;

  /// "deed status 12:03:06", and a line for each rank.
  [[nodiscard]] std::string status() const;
  /// "[deed 12:03:06] 41,280 of 96,000 tasks run, 19.8k/s", of the ranks here.
  [[nodiscard]] std::string progress(double seconds_since_last);

 private:
  mutable std::mutex mutex_;
  std::map<int, look> ranks_;
  std::uint64_t run_before_ = 0;
};

struct live_options {
  bool speaks = true;     ///< Rank 0 lives here: what is said once is said here.
  bool progress = false;  ///< A line on standard error every two seconds.
};

/// While it lives: SIGUSR1 prints a status and stops nothing, SIGINT and SIGTERM end the process
/// with `exit_code::interrupted` and one report. A signal that was ignored stays so.
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
