// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

/// @file
/// Whether a rank only waits for others.

namespace deed::runtime {

/// How many threads of a rank rest, and what `told(bool)` has heard of it: a rank that works is
/// never called idle. Threads: any; `told` hears of changes in their order.
class idleness {
 public:
  explicit idleness(std::function<void(bool)> told) : told_(std::move(told)) {}

  /// There is work, or will be. Before it is done. Cost: a load, unless the rank was idle.
  void note_work() {
    // Pairs with the second look in `tell`: one of the two sees the other.
    if (idle_.load(std::memory_order_seq_cst)) set(false);
  }
  /// All threads are about to be woken: they count as awake at once, although they may run later.
  void note_call() {
    std::uint64_t now = resting_.load(std::memory_order_seq_cst);
    while (
        !resting_.compare_exchange_weak(now, ((now >> 16) + 1) << 16, std::memory_order_seq_cst)) {
    }
    note_work();
  }

  /// One thread more rests, until the end of the scope or until all are called.
  class rest {
   public:
    /// `counts`: this thread can do nothing but wait. `threads`: of the rank, at most 65,535.
    rest(idleness& of, std::size_t threads, bool counts)
        : of_(of),
          more_(counts ? 1 : 0),
          mine_(of.resting_.fetch_add(more_, std::memory_order_seq_cst) + more_),
          all_((mine_ & count) == threads) {}
    ~rest() {
      std::uint64_t now = of_.resting_.load(std::memory_order_seq_cst);
      while ((now & ~count) == (mine_ & ~count) &&
             !of_.resting_.compare_exchange_weak(now, now - more_, std::memory_order_seq_cst)) {
      }
    }
    rest(const rest&) = delete;
    [[nodiscard]] bool all() const noexcept { return all_; }
    /// If all rest and nothing is useful, the rank is idle.
    template <class Useful>
    void tell(Useful&& useful) {
      const auto still = [&] { return of_.resting_.load(std::memory_order_seq_cst) == mine_; };
      for (bool all = all_; all && !useful(); all = still()) {
        of_.set(true);
        if (still() && !useful()) return;
        // Another has left its rest, or found work. It may be back already, and have said before
        // this that the rank is idle.
        of_.set(false);
      }
    }

   private:
    static constexpr std::uint64_t count = 0xffff;
    idleness& of_;
    std::uint64_t more_, mine_;
    bool all_;
  };

 private:
  void set(bool idle) {
    const std::lock_guard lock(mutex_);
    if (idle_.exchange(idle, std::memory_order_seq_cst) != idle) told_(idle);
  }

  // How often all were called, times 2^16, and how many rest since then.
  std::atomic<std::uint64_t> resting_{0};
  std::atomic<bool> idle_{false};
  std::mutex mutex_;  // Of `told_`.
  std::function<void(bool)> told_;
};

}  // namespace deed::runtime
