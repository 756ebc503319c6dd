// SPDX-License-Identifier: MIT
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

/// @file
/// Explores how a few threads may interleave that meet in `std::atomic`, `std::mutex` and
/// `std::condition_variable`: each operation on one of them is a place where another thread may go
/// on, and all orders with a few preemptions are tried, depth first. A thread that waits for ever
/// is found as well as a wrong end.
///
/// Not for memory orders: what is explored is sequentially consistent.
///
/// It looks at a header as it is shipped. What that needs of std is included first, and then
/// @code
/// #define std explored
/// #include "ring.hpp"
/// #undef std
/// @endcode
/// in a program that has these headers from nowhere else.
///
/// Source: M. Musuvathi and S. Qadeer, Iterative context bounding for systematic testing of
/// multithreaded programs, PLDI 2007: nearly all that goes wrong does so with two preemptions.

namespace explored {

using namespace std;  // All but what is below.

/// Stacks of threads that have ended serve those of the next order: a million of them are made.
class kept_stacks {
 public:
  using list = std::vector<std::unique_ptr<std::byte[]>>;
  explicit kept_stacks(list& free) noexcept : free_(&free) {}
  boost::context::stack_context allocate() {
    if (free_->empty()) free_->push_back(std::make_unique<std::byte[]>(bytes));
    boost::context::stack_context one;
    one.size = bytes;
    one.sp = free_->back().release() + bytes;  // It grows down.
    free_->pop_back();
    return one;
  }
  void deallocate(boost::context::stack_context& one) noexcept {
    free_->emplace_back(static_cast<std::byte*>(one.sp) - bytes);
  }

 private:
  static constexpr std::size_t bytes = std::size_t{64} << 10;
  list* free_;
};

/// One order of the threads that are being explored.
class schedule {
 public:
  /// In the order of their making they are threads 0, 1, … of the trace.
  void thread(std::function<void()> body) { threads_.push_back({std::move(body)}); }
  /// When all threads have ended.
  void at_end(std::function<void()> check) { at_end_ = std::move(check); }
  /// Threads: any of those.
  void expect(bool holds, std::string_view what) {
    if (!holds && wrong_.empty()) wrong_ = what;
  }

  /// The one that runs; null while what it explores is made and looked at.
  static schedule*& running() {
    static schedule* now = nullptr;
    return now;
  }
  /// Another thread may go on here.
  void step() { back_ = std::move(back_).resume(); }
  /// Nothing happens in this thread until another one has gone on: it looks again and again.
  void give_way() {
    threads_[current_].gives_way = true;
    step();
  }
  /// Nothing happens in this thread until somebody wakes it.
  void block(const void* on) {
    threads_[current_].waits_on = on;
    step();
  }
  void wake(const void* on, bool all) {
    for (one_thread& each : threads_) {
      if (each.waits_on != on) continue;
      each.waits_on = nullptr;
      if (!all) return;
    }
  }

 private:
  friend class exploration;
  struct one_thread {
    std::function<void()> body;
    boost::context::fiber stack{};
    const void* waits_on = nullptr;
    bool begun = false, ended = false, gives_way = false;
    [[nodiscard]] bool can_go() const noexcept {
      return !ended && waits_on == nullptr && !gives_way;
    }
  };

  void go(std::size_t which) {
    current_ = which;
    for (one_thread& each : threads_) each.gives_way = false;
    one_thread& next = threads_[which];
    if (!next.begun) {
      next.begun = true;
      next.stack = boost::context::fiber(std::allocator_arg, kept_stacks(*stacks_),
                                         [this, which](boost::context::fiber&& back) {
                                           back_ = std::move(back);
                                           threads_[which].body();
                                           threads_[which].ended = true;
                                           return std::move(back_);
                                         });
    }
    next.stack = std::move(next.stack).resume();
  }

  kept_stacks::list* stacks_ = nullptr;
  std::vector<one_thread> threads_;
  std::size_t current_ = 0;
  boost::context::fiber back_;
  std::function<void()> at_end_ = [] {};
  std::string wrong_, trace_;
};

/// All orders of what `make(schedule&)` makes anew for each of them.
class exploration {
 public:
  template <class Make>
  explicit exploration(Make&& make, int preemptions = 3) : preemptions_(preemptions) {
    do {
      auto now = std::make_unique<schedule>();
      now->stacks_ = &stacks_;
      make(*now);
      run(*now);
      ++orders_;
      if (wrong_.empty()) continue;
      static_cast<void>(now.release());  // Its threads stand where nothing may be unwound.
      return;
    } while (next());
  }
  /// What went wrong, and the threads in the order in which they went on; empty: nothing.
  [[nodiscard]] const std::string& wrong() const noexcept { return wrong_; }
  [[nodiscard]] std::size_t orders() const noexcept { return orders_; }

 private:
  struct choice {
    std::vector<std::size_t> threads;
    std::size_t taken = 0;
  };

  void run(schedule& now) {
    schedule::running() = &now;
    std::size_t depth = 0, last = 0;
    int preempted = 0;
    for (int steps = 0; now.wrong_.empty(); ++steps) {
      if (steps == most_steps) now.wrong_ = "it never ends";
      const bool goes_on = now.threads_[last].can_go();
      std::vector<std::size_t> able;
      if (goes_on) able.push_back(last);
      for (std::size_t i = 0; i < now.threads_.size(); ++i) {
        const bool may = !goes_on || preempted < preemptions_;
        if (i != last && may && now.threads_[i].can_go()) able.push_back(i);
      }
      if (able.empty()) break;
      if (able.size() > 1 && depth == path_.size()) path_.push_back({able});
      const std::size_t chosen =
          able.size() > 1 ? path_[depth].threads[path_[depth].taken] : able.front();
      depth += able.size() > 1;
      preempted += goes_on && chosen != last;
      last = chosen;
      now.trace_ += std::to_string(chosen);
      now.go(chosen);
    }
    schedule::running() = nullptr;
    const bool all_ended = std::ranges::all_of(now.threads_, &schedule::one_thread::ended);
    if (now.wrong_.empty() && !all_ended) now.wrong_ = "a thread waits for ever";
    if (now.wrong_.empty()) now.at_end_();
    constexpr std::size_t longest = 200;
    if (!now.wrong_.empty()) wrong_ = now.wrong_ + ", threads " + now.trace_.substr(0, longest);
  }

  /// The next order; false: that was the last.
  bool next() {
    while (!path_.empty() && path_.back().taken + 1 == path_.back().threads.size())
      path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }

  static constexpr int most_steps = 10'000;
  int preemptions_;
  kept_stacks::list stacks_;
  std::vector<choice> path_;
  std::size_t orders_ = 0;
  std::string wrong_;
};

inline void step() {
  if (schedule* const now = schedule::running()) now->step();
}
inline void block(const void* on) { schedule::running()->block(on); }
inline void wake(const void* on, bool all) {
  if (schedule* const now = schedule::running()) now->wake(on, all);
}

namespace this_thread {

using namespace std::this_thread;  // All but what is below.

/// Who looks until something has changed need not look before another thread has gone on.
inline void yield() noexcept {
  if (schedule* const now = schedule::running()) now->give_way();
}

}  // namespace this_thread

template <class T>
class atomic {
 public:
  atomic() noexcept = default;
  atomic(T value) noexcept : value_(value) {}
  atomic(const atomic&) = delete;

  T load(memory_order = {}) const noexcept { return here(); }
  void store(T value, memory_order = {}) noexcept { here() = value; }
  T exchange(T value, memory_order = {}) noexcept { return std::exchange(here(), value); }
  bool compare_exchange_strong(T& wanted, T value, memory_order = {}, memory_order = {}) noexcept {
    T& now = here();
    if (now != wanted) {
      wanted = now;
      return false;
    }
    now = value;
    return true;
  }
  bool compare_exchange_weak(T& wanted, T value, memory_order = {}, memory_order = {}) noexcept {
    return compare_exchange_strong(wanted, value);
  }
  T fetch_add(T more, memory_order = {}) noexcept {
    T& now = here();
    return std::exchange(now, now + more);
  }
  T fetch_sub(T less, memory_order = {}) noexcept {
    T& now = here();
    return std::exchange(now, now - less);
  }

  T fetch_or(T bits, memory_order = {}) noexcept {
    T& now = here();
    return std::exchange(now, now | bits);
  }
  T fetch_and(T bits, memory_order = {}) noexcept {
    T& now = here();
    return std::exchange(now, now & bits);
  }

  void wait(T old, memory_order = {}) const noexcept {
    while (here() == old) block(this);
  }
  void notify_one() noexcept { wake(this, false); }
  void notify_all() noexcept { wake(this, true); }

 private:
  T& here() noexcept {
    step();
    return value_;
  }
  const T& here() const noexcept {
    step();
    return value_;
  }
  T value_{};
};

/// Of memory that is no atomic.
template <class T>
class atomic_ref {
 public:
  explicit atomic_ref(T& at) noexcept : at_(at) {}

  T load(memory_order = {}) const noexcept { return here(); }
  void store(T value, memory_order = {}) const noexcept { here() = value; }
  bool compare_exchange_weak(T& wanted, T value, memory_order = {},
                             memory_order = {}) const noexcept {
    T& now = here();
    const bool is_wanted = now == wanted;
    (is_wanted ? now : wanted) = is_wanted ? value : now;
    return is_wanted;
  }
  T fetch_add(T more, memory_order = {}) const noexcept {
    T& now = here();
    return std::exchange(now, static_cast<T>(now + more));
  }
  T fetch_sub(T less, memory_order = {}) const noexcept {
    T& now = here();
    return std::exchange(now, static_cast<T>(now - less));
  }

  void wait(T old, memory_order = {}) const noexcept {
    while (here() == old) block(&at_);
  }
  void notify_all() const noexcept { wake(&at_, true); }

 private:
  T& here() const noexcept {
    step();
    return at_;
  }
  T& at_;
};

class mutex {
 public:
  void lock() {
    for (step(); held_;) block(this);
    held_ = true;
  }
  bool try_lock() {
    step();
    return !std::exchange(held_, true);
  }
  void unlock() {
    held_ = false;
    wake(this, true);
  }

 private:
  bool held_ = false;
};

/// Time does not pass here: who is not woken waits for ever.
class condition_variable {
 public:
  template <class Holds>
  void wait(unique_lock<mutex>& lock, Holds&& holds) {
    while (!holds()) {
      step();  // It sleeps a moment after it looked.
      lock.unlock();
      block(this);
      lock.lock();
    }
  }
  template <class Time, class Holds>
  bool wait_for(unique_lock<mutex>& lock, const Time&, Holds&& holds) {
    wait(lock, holds);
    return true;
  }
  void notify_one() noexcept {
    step();
    wake(this, false);
  }
  void notify_all() noexcept {
    step();
    wake(this, true);
  }
};

}  // namespace explored
