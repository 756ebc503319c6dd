// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/random.hpp>
#include <deed/transport/sim.hpp>

#include "bulk_board.hpp"
#include "sim_carrier.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

/// @file
/// Who runs, what is on its way, and what time it is. Touched only by the rank that runs.

namespace deed::transport {

/// Something on its way to a rank.
struct sim_event {
  enum class type : std::uint8_t { frame, copy, ended, resume };
  std::int64_t time = 0;
  std::uint64_t number = 0;
  type what = type::frame;
  int to = 0;
  event news;                      // frame, ended; without the span of the frame.
  std::vector<std::byte> bytes;    // frame
  detail::bulk_end send, receive;  // copy: `to` is the receiver.
  [[nodiscard]] std::pair<std::int64_t, std::uint64_t> due() const { return {time, number}; }
};

class skewed_clock final : public clock {
 public:
  explicit skewed_clock(const std::int64_t& now) noexcept : now_(now) {}
  [[nodiscard]] std::chrono::nanoseconds now() const noexcept override {
    return std::chrono::nanoseconds{now_} + ahead;
  }
  std::chrono::nanoseconds ahead{};

 private:
  const std::int64_t& now_;
};

/// One virtual rank.
struct sim_rank {
  enum class state : std::uint8_t { runnable, running, resting, ended };
  explicit sim_rank(const std::int64_t& now) : time(now) {}
  state is = state::runnable;
  bool killed = false;
  bool closed = false;  // Its memory is no longer there for copies on their way.
  std::int64_t deadline = 0;
  std::uint64_t signals = 1;
  std::int64_t free_at = 0;  // When its network interface takes the next message.
  std::uint64_t frames_sent = 0;
  std::size_t bulk_sends = 0;
  int fruitless_polls = 0;
  std::deque<sim_event> arrived;
  std::vector<std::vector<std::byte>> shown;  // Frames valid until the next poll.
  detail::bulk_board board;
  std::exception_ptr error;
  bool deadlocked = false;  // `error` is the report of a deadlock.
  skewed_clock time;
  std::unique_ptr<endpoint> end;
};

class sim_world::scheduler {
 public:
  scheduler(int ranks, const sim_options& options);

  void run(const std::function<void(rank, endpoint&)>& program);
  void rest(int self, std::chrono::nanoseconds at_most, std::uint64_t seen);
  void pass(int self);
  void spend(int self, std::chrono::nanoseconds time);
  std::chrono::nanoseconds spend_until_news(int self, std::chrono::nanoseconds time);
  void wake(int to);

  /// When a message of so many bytes, sent now, arrives; takes its turn at the interface.
  [[nodiscard]] std::int64_t arrival_time(int from, int to, std::size_t bytes);
  void post(sim_event what);
  void note(std::uint64_t a, std::uint64_t b);
  void kill(int self);
  [[nodiscard]] sim_rank& at(int r) { return *ranks_[static_cast<std::size_t>(r)]; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(ranks_.size()); }

  const sim_options options;
  skewed_clock world_time{now_};
  std::uint64_t hash = 0;
  std::uint64_t frames = 0, bulks = 0;  // Of the run, for the plan.
  random_source fault_draw;
  std::function<void()> deadlock_handler;

 private:
  void rank_main(int self, const std::function<void(rank, endpoint&)>& program);
  void give_way(int self);
  /// The rank to run next; -1: all have ended.
  int choose();
  int choose_after_end() noexcept;
  [[noreturn]] void throw_end(int self) const;
  int take_runnable();
  bool deliver_next();
  bool fire_timer();
  void stop();
  void deliver(sim_event&& what);
  void carry_out(sim_event&& copy);
  void make_runnable(int r);
  [[nodiscard]] bool stalled(int r);

  std::int64_t now_ = 0;
  std::uint64_t next_number_ = 0;
  random_source order_draw_;
  std::vector<std::unique_ptr<sim_rank>> ranks_;
  std::vector<int> runnable_;
  std::vector<sim_event> on_its_way_;  // by_time: a heap; random: in no order.
  std::set<std::pair<std::int64_t, int>> timers_;
  int ended_ = 0;
  bool handler_ran_ = false, dead_ = false;
  std::exception_ptr why_dead_;  // Null: all wait for each other.
  std::unique_ptr<sim_carrier> carrier_;
};

}  // namespace deed::transport
