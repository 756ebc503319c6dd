// SPDX-License-Identifier: MIT
#pragma once

#include "progress_lock.hpp"

#include <atomic>

/// @file
/// Who makes progress: one thread at a time, and nobody waits for it.

namespace deed::transport::detail {

/// Takes turns under the progress lock. Who finds the lock taken leaves a word: its holder may have
/// looked at the network before what is here now came, and both would go to sleep. Sequentially
/// consistent, as the lock is, or both could miss it.
///
/// Threads: any.
class turns {
 public:
  explicit turns(progress_lock& lock) noexcept : lock_(lock) {}

  /// Calls `turn(looks)` under the lock and `behind()` after it, and once more if somebody wanted a
  /// turn meanwhile; that one looks. Where the lock is taken, `missed()` instead. The first two say
  /// whether anything happened.
  /// @return whether anything did, or the caller shall come again.
  template <class Turn, class Behind, class Missed>
  bool take(bool looks, Turn&& turn, Behind&& behind, Missed&& missed) {
    bool happened = false;
    for (int taken = 0; taken < most; ++taken) {
      {
        const hold here(*this);
        if (!here) {
          missed();
          return happened;
        }
        // A word that lies here is of one who found the lock taken, by a submission perhaps.
        looks |= wanted_.exchange(false, std::memory_order_seq_cst);
        happened |= turn(looks);
      }
      happened |= behind();
      if (!wanted()) return happened;
    }
    return true;
  }

  /// Somebody wanted a turn while the lock was taken, and nobody has taken one since.
  [[nodiscard]] bool wanted() const noexcept { return wanted_.load(std::memory_order_seq_cst); }

 private:
  static constexpr int most = 2;

  /// The lock; else a word is left for who has it.
  class hold {
   public:
    explicit hold(turns& of) noexcept : lock_(of.lock_), held_(lock_.try_lock()) {
      if (held_) return;
      of.wanted_.store(true, std::memory_order_seq_cst);
      held_ = lock_.try_lock();  // It may have been given back before the word lay there.
    }
    ~hold() {
      if (held_) lock_.unlock();
    }
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;
    explicit operator bool() const noexcept { return held_; }

   private:
    progress_lock& lock_;
    bool held_;
  };

  progress_lock& lock_;
  std::atomic<bool> wanted_{false};
};

}  // namespace deed::transport::detail
