// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

/// @file
/// Whether the other ranks still answer.

namespace deed::runtime {

/// What a rank says when it is asked whether it is there.
struct sign_of_life {
  std::uint64_t number = 0;  ///< Of the question.
  std::string does;          ///< "runs `gemm`", "is in `wait()` at heat.cpp:31".
};

/// Looks at the network now and then, so that this rank answers while its threads are deep in long
/// tasks, and asks the next rank whether it is there. One that does not answer is reported once,
/// and again when it is back. Each rank is asked by one other.
///
/// Threads: one of its own; `answered` from any.
/// Cost: a turn of the engine and a message of some 50 bytes every quarter of the limit.
class heartbeat {
 public:
  using seconds = std::chrono::seconds;
  struct duties {
    std::function<void()> look;              ///< A turn of the engine.
    std::function<void(std::uint64_t)> ask;  ///< Sends the question of this number.
    /// The rank does not answer, or does again; what it said last, and at which time of day. Both
    /// are empty if it never answered.
    std::function<void(bool silent, const std::string& did, const std::string& heard_at)> report;
  };
  heartbeat(seconds limit, duties what);
  ~heartbeat() { stop(); }
  heartbeat(const heartbeat&) = delete;

  void start();
  /// From here on nobody is asked, and none of the duties is called.
  void stop() noexcept;
  void answered(const sign_of_life& sign);

 private:
  using clock = std::chrono::steady_clock;

  void beat();
  void judge(clock::time_point now);

  const seconds limit_;
  const duties duties_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  std::uint64_t asked_ = 0, heard_ = 0;
  clock::time_point unanswered_since_;
  std::string does_, heard_at_;  // Of the last answer.
  bool reported_ = false;
  std::thread thread_;
};

}  // namespace deed::runtime
