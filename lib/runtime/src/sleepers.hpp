// SPDX-License-Identifier: MIT
#pragma once

#include "asymmetric_barrier.hpp"
#include "parking.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

/// @file
/// How threads without work look around and go to sleep, and how one of them is called.

namespace deed::runtime {

/// A moment's pause for the core, and for the other thread on it.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// The threads of a rank that have nothing to do: some search, one sleeps at the network's door, so
/// that a message wakes it, and the others are parked. Threads: any.
class sleepers {
 public:
  explicit sleepers(const asymmetric_barrier& barrier) noexcept
      : barrier_(barrier), parking_(barrier) {}

  /// Looks for some microseconds whether anything is `useful()`: a wake-up costs twenty. Ever
  /// longer between two looks, because each takes a cache line from who is writing it, and what
  /// becomes ready meanwhile is taken at one go. Nobody is woken meanwhile: false must be followed
  /// by `sleep`, which looks again.
  template <class Useful>
  bool search(Useful&& useful, int looks = 40) {
    constexpr int longest = 32;
    searching_.fetch_add(1, std::memory_order_relaxed);
    bool found = false;
    for (int i = 0, pauses = 1; i < looks && !found; ++i) {
      for (int pause = 0; pause < pauses; ++pause) relax();
      pauses = std::min(2 * pauses, longest);
      found = useful();
    }
    searching_.fetch_sub(1, std::memory_order_relaxed);  // Seen by all at the barrier of `sleep`.
    return found;
  }
  /// Sleeps unless `useful()`, until it is called or `at_most`: by `listen()` if nobody else does.
  template <class Useful, class Listen>
  void sleep(Useful&& useful, Listen&& listen, std::chrono::nanoseconds at_most) {
    if (listening_.exchange(true, std::memory_order_seq_cst)) {
      return parking_.sleep([&] { return useful() || !listening_.load(std::memory_order_relaxed); },
                            at_most);
    }
    const leaves_the_door leaves(listening_);
    barrier_.heavy();  // Pairs with `call`.
    if (!useful()) listen();
  }
  /// Something became useful that another thread could do. `wake_listener()` ends `listen()`, or
  /// the next one.
  template <class Wake>
  void call(Wake&& wake_listener) noexcept {
    barrier_.light();  // What became useful, then the look.
    if (searching_.load(std::memory_order_relaxed) > 0) return;
    if (parking_.wake_one()) return;
    if (listening_.load(std::memory_order_relaxed)) wake_listener();
  }
  /// The caller will not come back soon: if nobody listens, somebody who is parked comes to the
  /// door. Cost, where nobody is parked: two loads.
  void attend() noexcept {
    barrier_.light();  // Pairs with the look of who parks.
    if (!listening_.load(std::memory_order_relaxed)) parking_.wake_one();
  }
  void call_parked() noexcept { parking_.wake_all(); }

 private:
  /// Also if a virtual rank is told there that all wait for each other.
  class leaves_the_door {
   public:
    explicit leaves_the_door(std::atomic<bool>& taken) noexcept : taken_(taken) {}
    ~leaves_the_door() { taken_.store(false, std::memory_order_release); }
    leaves_the_door(const leaves_the_door&) = delete;

   private:
    std::atomic<bool>& taken_;
  };

  const asymmetric_barrier& barrier_;
  std::atomic<int> searching_{0};
  std::atomic<bool> listening_{false};
  parking parking_;
};

}  // namespace deed::runtime
