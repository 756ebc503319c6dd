// SPDX-License-Identifier: MIT
#include "sim_carrier.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace deed::transport {
namespace {

/// Handed from thread to thread. Sleeps at once: a semaphore would spin first, on a core that the
/// one who runs could use.
class baton {
 public:
  void release() {
    {
      const std::scoped_lock hold(mutex_);
      here_ = true;
    }
    handed_.notify_one();
  }
  void acquire() {
    std::unique_lock hold(mutex_);
    handed_.wait(hold, [this] { return here_; });
    here_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable handed_;
  bool here_ = false;
};

class thread_carrier final : public sim_carrier {
 public:
  void run(int ranks, int first, const std::function<void(int)>& program) override {
    std::vector<std::jthread> threads;
    for (int r = 0; r < ranks; ++r) turns_.emplace_back();
    for (int r = 0; r < ranks; ++r) {
      threads.emplace_back([this, r, &program] {
        turn_of(r).acquire();
        program(r);
      });
    }
    turn_of(first).release();
    all_left_.acquire();
  }
  void hand_over(int self, int next) override {
    turn_of(next).release();
    turn_of(self).acquire();
  }
  void leave(int, int next) override { (next < 0 ? all_left_ : turn_of(next)).release(); }

 private:
  baton& turn_of(int rank) { return turns_[static_cast<std::size_t>(rank)]; }

  std::deque<baton> turns_;
  baton all_left_;
};

}  // namespace

std::unique_ptr<sim_carrier> make_thread_carrier() { return std::make_unique<thread_carrier>(); }

}  // namespace deed::transport
