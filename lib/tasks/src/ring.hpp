// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/// @file
/// A queue of pointers with one producer and many consumers.

namespace deed::tasks::detail {

/// First in, first out, without bound. What the producer writes and what the consumers write lie on
/// cache lines of their own.
/// Threads: `push` from one, the others from any.
/// Cost: a push without growth is two stores; a take of any number one compare-and-swap. Outgrown
///   memory, as much as is in use, is freed with the ring.
/// Source: the growing array of D. Chase and Y. Lev, Dynamic circular work-stealing deque, SPAA
/// 2005, with both ends in the order of a queue.
template <class T>
class ring {
 public:
  ring() : array_(&make_array(64)) {}
  ring(const ring&) = delete;

  void push(T& item) {
    const std::uint64_t end = end_.load(std::memory_order_relaxed);
    array* room = array_.load(std::memory_order_relaxed);
    if (end - begin_seen_ == room->size) {
      // Acquire: what was taken was read before it is overwritten.
      begin_seen_ = begin_.load(std::memory_order_acquire);
      if (end - begin_seen_ == room->size) room = &grow(*room, end);
    }
    room->at(end).store(&item, std::memory_order_relaxed);
    end_.store(end + 1, std::memory_order_release);  // Publishes the item and the array.
  }

  /// Takes up to `most` of the oldest into `taken`, but no more than `share` allows of what is
  /// there. `end_seen` is the consumer's own memory of this ring's end, 0 at first.
  template <class Share>
  std::size_t take(T** taken, std::uint64_t& end_seen, Share&& share) {
    std::uint64_t begin = begin_.load(std::memory_order_acquire);
    for (;;) {
      // Another consumer may have come further than what this one has seen.
      if (begin >= end_seen) end_seen = end_.load(std::memory_order_acquire);
      if (begin >= end_seen) return 0;
      const std::uint64_t count = share(end_seen - begin);
      const array& room = *array_.load(std::memory_order_acquire);
      for (std::uint64_t i = 0; i < count; ++i) {
        taken[i] = room.at(begin + i).load(std::memory_order_relaxed);
      }
      // Where it fails, others took some, and what was read may be overwritten. Release: pairs with
      // the acquire in `push`.
      if (begin_.compare_exchange_weak(begin, begin + count, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
        return static_cast<std::size_t>(count);
      }
    }
  }

  [[nodiscard]] std::size_t size() const noexcept {
    const std::uint64_t begin = begin_.load(std::memory_order_acquire);
    const std::uint64_t end = end_.load(std::memory_order_acquire);
    return end > begin ? static_cast<std::size_t>(end - begin) : 0;
  }

 private:
  struct array {
    explicit array(std::size_t count)
        : size(count), items(std::make_unique<std::atomic<T*>[]>(count)) {}
    [[nodiscard]] std::atomic<T*>& at(std::uint64_t i) const noexcept {
      return items[i & (size - 1)];
    }
    std::size_t size;  // A power of two.
    std::unique_ptr<std::atomic<T*>[]> items;
  };

  array& make_array(std::size_t size) {
    return *arrays_.emplace_back(std::make_unique<array>(size));
  }
  array& grow(const array& from, std::uint64_t end) {
    array& larger = make_array(2 * from.size);
    for (std::uint64_t i = end - from.size; i < end; ++i) {
      larger.at(i).store(from.at(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    array_.store(&larger, std::memory_order_release);
    return larger;
  }

  // The producer's.
  alignas(64) std::atomic<std::uint64_t> end_{0};
  std::uint64_t begin_seen_ = 0;
  std::vector<std::unique_ptr<array>> arrays_;  // A consumer may still look into an outgrown one.
  std::atomic<array*> array_;
  // The consumers'.
  alignas(64) std::atomic<std::uint64_t> begin_{0};
};

}  // namespace deed::tasks::detail
