// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <thread>

/// @file
/// Who may call MPI, and until when: not after MPI_Finalize, also where that comes too early.

namespace deed::transport::detail {

/// Calls of MPI pass one at a time, until it is shut.
class mpi_gate {
 public:
  /// Whether MPI may be called. Held by one caller at a time: the engine's lock sees to that.
  class passage {
   public:
    explicit passage(mpi_gate& gate) noexcept : gate_(gate) {
      int free = open;
      // Acquire and release: what is shut sees what was done inside.
      inside_ = gate_.state_.compare_exchange_strong(free, taken, std::memory_order_acq_rel);
    }
    ~passage() {
      if (inside_) gate_.state_.store(open, std::memory_order_release);
    }
    passage(const passage&) = delete;
    passage& operator=(const passage&) = delete;
    explicit operator bool() const noexcept { return inside_; }

   private:
    mpi_gate& gate_;
    bool inside_;
  };

  /// Blocks: for one call of MPI, if another thread is in one.
  void shut() noexcept {
    for (int free = open; !state_.compare_exchange_weak(free, closed, std::memory_order_acq_rel);
         free = open) {
      std::this_thread::yield();
    }
  }
  [[nodiscard]] bool is_shut() const noexcept {
    return state_.load(std::memory_order_acquire) == closed;
  }

 private:
  static constexpr int open = 0, taken = 1, closed = 2;
  std::atomic<int> state_{open};
};

/// One of those in this process that call MPI from any thread.
class mpi_caller {
 public:
  mpi_caller() noexcept { count().fetch_add(1); }
  ~mpi_caller() { count().fetch_sub(1); }
  mpi_caller(const mpi_caller&) = delete;
  mpi_caller& operator=(const mpi_caller&) = delete;
  [[nodiscard]] static int alive() noexcept { return count().load(); }

 private:
  /// MPI is one per process, and so is the number of those who call it: no state of a session.
  static std::atomic<int>& count() noexcept {
    static std::atomic<int> alive{0};
    return alive;
  }
};

}  // namespace deed::transport::detail
