// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/push_list.hpp>

#include <cstddef>
#include <memory>
#include <vector>

/// @file
/// Memory that one thread hands out and any thread gives back.

namespace deed::tasks {

/// Objects of one kind, made in slabs, used again, and freed when the recycler ends. `T` has a
/// member `next` that points to a `T` or a base of it; it is the recycler's while `T` is not taken.
///
/// Threads: `take` and `put_back` from one thread, `give_back` from any.
/// Cost: no allocation once there are enough. A batch that comes back from another thread costs one
///   compare-and-swap, and its cache lines are asked for one object ahead.
template <class T>
class recycler {
 public:
  /// What one thread gave back and has not handed over yet.
  class bin {
    friend recycler;
    T* first_ = nullptr;
    T* last_ = nullptr;
    std::size_t count_ = 0;
  };

  [[nodiscard]] T& take() {
    if (free_ == nullptr) free_ = returned_.take();
    if (free_ == nullptr) grow();
    T* const taken = free_;
    free_ = static_cast<T*>(taken->next);
    if (free_ != nullptr) ask_for(*free_);
    return *taken;
  }
  /// Threads: the one that takes.
  void put_back(T& done) noexcept {
    done.next = free_;
    free_ = &done;
  }
  void give_back(T& done) noexcept { returned_.push(done); }
  /// Hands `mine` over when a batch is full.
  void give_back(T& done, bin& mine) noexcept {
    if (mine.count_ == 0) mine.last_ = &done;
    done.next = mine.first_;
    mine.first_ = &done;
    if (++mine.count_ < batch) return;
    returned_.push(*mine.first_, *mine.last_);
    mine = {};
  }

  /// Every object, taken or not. Threads: nobody uses the recycler meanwhile.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (const auto& slab : slabs_) {
      for (std::size_t i = 0; i < slab_size; ++i) visit(slab[i]);
    }
  }

 private:
  static constexpr std::size_t batch = 32;
  static constexpr std::size_t slab_size = 64;

  /// Another core wrote it last: its lines travel while this thread works on.
  static void ask_for(T& soon) noexcept {
    constexpr std::size_t line = 64, first_lines = 128;  // The rest is seldom used.
    for (std::size_t at = 0; at < sizeof(T) && at < first_lines; at += line) {
      __builtin_prefetch(reinterpret_cast<std::byte*>(&soon) + at, 1);
    }
  }
  void grow() {
    slabs_.push_back(std::make_unique<T[]>(slab_size));
    for (std::size_t i = slab_size; i-- > 0;) put_back(slabs_.back()[i]);
  }

  T* free_ = nullptr;
  std::vector<std::unique_ptr<T[]>> slabs_;
  alignas(64) push_list<T> returned_;  // Not beside what the taker uses.
};

}  // namespace deed::tasks
