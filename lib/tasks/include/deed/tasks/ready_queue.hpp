// SPDX-License-Identifier: MIT
#pragma once

#include <deed/tasks/vertex.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

/// @file
/// Vertices that wait for nothing any more, on their way to whoever runs them.

namespace deed::tasks {

/// Many producers, many consumers; the order is first in, first out per producer.
class ready_queue {
 public:
  /// One context's door to the queue: a worker, the submitter. Threads: one at a time.
  class door {
   public:
    virtual ~door() = default;
    virtual void push(vertex& ready) = 0;
    /// For the door that was opened as that one, counted from 0. What comes so is taken through
    /// other doors only where they have nothing else. `room` lies in the memory of `ready`, and
    /// nothing else uses it until that is taken.
    virtual void leave_at(std::size_t which, vertex& ready, edge& room) = 0;
    /// What came through this door, or was left at it, or was taken with something else. Null if
    /// there was nothing.
    [[nodiscard]] virtual vertex* pop() = 0;
    /// Nothing is there for `pop`.
    [[nodiscard]] virtual bool empty() const noexcept = 0;
    /// What came through the doors of others, which costs lines of their caches. As `pop`.
    [[nodiscard]] virtual vertex* take_from_others() = 0;
  };

  virtual ~ready_queue() = default;
  /// Threads: one, before the first door is used.
  [[nodiscard]] virtual std::unique_ptr<door> open() = 0;
  /// Roughly how many wait; never 0 for long if one does.
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
};

/// For real threads. Threads: a door each.
[[nodiscard]] std::unique_ptr<ready_queue> make_shared_queue();

/// For virtual ranks, where one thread runs at a time: takes any that is ready, by `seed`.
/// The same seed gives the same order.
[[nodiscard]] std::unique_ptr<ready_queue> make_seeded_queue(std::uint64_t seed);

}  // namespace deed::tasks
