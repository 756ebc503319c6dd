// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

/// @file
/// The nodes and edges of the task graph. Who waits for whom, and nothing of what they do.

namespace deed::tasks {

class vertex;
struct recurrence;

/// "`to` waits for the vertex in whose list this lies." Lives in the memory of `to`.
struct edge {
  edge* next = nullptr;
  vertex* to = nullptr;
};

/// Something that runs once, when all that it waits for is complete.
///
/// | state    | is in a list of successors | predecessors done | completes | is used again |
/// |----------|----------------------------|-------------------|-----------|---------------|
/// | opened   | may be                     | counts            | –         | –             |
/// | ready    | no                         | –                 | closed    | –             |
/// | closed   | no                         | –                 | –         | opened        |
///
/// Threads: one submitter opens vertices and adds edges; any thread completes.
/// Source: the list of successors that closes on completion is the scheme of wait-free dependency
/// systems for tasks (Álvarez et al., PPoPP 2021), cut down to one submitter.
class vertex {
 public:
  /// How often this memory was used: a vertex that was met before may be another one by now.
  /// Threads: the submitter.
  [[nodiscard]] std::uint32_t life() const noexcept { return life_; }

  /// Starts a new life that waits for `commit`.
  void open() noexcept {
    ++life_;
    pending_.store(guard, std::memory_order_relaxed);
    successors_.store(nullptr, std::memory_order_release);
  }

  /// Lets `to` wait for this vertex. False if it is complete already; then nothing changed.
  bool add_successor(edge& link, vertex& to) noexcept {
    link.to = &to;
    edge* first = successors_.load(std::memory_order_acquire);
    do {
      if (first == closed()) return false;  // Acquire above: what it wrote is visible to `to`.
      link.next = first;
    } while (!successors_.compare_exchange_weak(first, &link, std::memory_order_release,
                                                std::memory_order_acquire));
    return true;
  }

  /// All edges to this vertex are there: `count` of them. True if it is ready.
  [[nodiscard]] bool commit(std::uint32_t count) noexcept {
    if (count == 0) return true;  // Nobody else knows this vertex.
    const std::int32_t ahead = guard - static_cast<std::int32_t>(count);
    return pending_.fetch_sub(ahead, std::memory_order_acq_rel) == ahead;
  }

  /// One predecessor is complete. True if it was the last: this vertex is ready.
  [[nodiscard]] bool arrive() noexcept {
    return pending_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

  /// Completes; returns the list of those who waited. Nothing can be added to it any more.
  [[nodiscard]] edge* close() noexcept {
    // Acquire: the edges' contents; release: pairs with the acquire in `add_successor`.
    return successors_.exchange(closed(), std::memory_order_acq_rel);
  }

  /// Instead of a list of successors it has a place in a graph that repeats, until it is opened
  /// again. It runs when `count` vertices are complete.
  void recur(recurrence& place, std::int32_t count) noexcept {
    const auto marked = reinterpret_cast<std::uintptr_t>(&place) | repeats;
    successors_.store(reinterpret_cast<edge*>(marked), std::memory_order_relaxed);
    pending_.store(count, std::memory_order_relaxed);
  }
  /// Its place in a graph that repeats; null: it runs once.
  [[nodiscard]] recurrence* recurs() const noexcept {
    return place_in(successors_.load(std::memory_order_relaxed));
  }
  /// The same of what `close` returned, which saves a look at a line that others write.
  [[nodiscard]] static recurrence* place_in(edge* closed) noexcept {
    const auto marked = reinterpret_cast<std::uintptr_t>(closed);
    return (marked & repeats) == 0 ? nullptr : reinterpret_cast<recurrence*>(marked & ~repeats);
  }

  /// The last of those that wait for it; null: none yet, or it repeats.
  /// Threads: who is about to complete it.
  [[nodiscard]] vertex* successor() const noexcept {
    edge* const last = successors_.load(std::memory_order_acquire);
    const bool lists = last != nullptr && last != closed() && place_in(last) == nullptr;
    return lists ? last->to : nullptr;
  }

  /// Whether somebody waits for it. Threads: the submitter, before it completes.
  [[nodiscard]] bool is_followed() const noexcept {
    edge* const first = successors_.load(std::memory_order_relaxed);
    return first != nullptr && first != closed();
  }

 private:
  static constexpr std::int32_t guard = 1 << 30;
  static constexpr std::uintptr_t repeats = 2;
  static edge* closed() noexcept { return reinterpret_cast<edge*>(std::uintptr_t{1}); }

  std::atomic<edge*> successors_{closed()};
  std::atomic<std::int32_t> pending_{0};
  std::uint32_t life_ = 0;
};

}  // namespace deed::tasks
