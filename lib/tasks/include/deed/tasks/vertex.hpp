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

  /// What the end of one thing is to a vertex that waits for it: of a predecessor, or of adding
  /// edges.
  enum class arrival : std::uint8_t {
    early,             ///< Others are to come.
    last,              ///< The vertex is ready: the caller sees to that.
    claims,            ///< Others are to come, and the caller has claimed it.
    last_for_claimer,  ///< The vertex is ready: who claimed it sees to that, and maybe did.
  };
  /// All edges to this vertex are there: `count` of them. `early`, `last` or `last_for_claimer`.
  [[nodiscard]] arrival commit(std::uint32_t count) noexcept {
    if (count == 0) return arrival::last;  // Nobody else knows this vertex.
    const std::uint32_t ahead = guard - count;
    return came(pending_.fetch_sub(ahead, std::memory_order_acq_rel), ahead);
  }
  /// One predecessor is complete.
  [[nodiscard]] arrival arrive() noexcept {
    return came(pending_.fetch_sub(1, std::memory_order_acq_rel));
  }
  /// The same by a thread that has nothing else to do: unless it is the last, or another was
  /// quicker, it claims the vertex. It looks at it then until that is ready: two cores exchange one
  /// line for that, and not those of a queue.
  [[nodiscard]] arrival arrive_or_claim() noexcept {
    std::uint32_t pending = pending_.load(std::memory_order_relaxed);
    for (;;) {
      const bool claims = pending != 1 && (pending & claim) == 0;
      if (pending_.compare_exchange_weak(pending, (pending - 1) | (claims ? claim : 0),
                                         std::memory_order_acq_rel, std::memory_order_relaxed))
        return claims ? arrival::claims : came(pending);
    }
  }
  /// Whether what this thread claimed is ready; then the claim is over.
  [[nodiscard]] bool take_claimed() noexcept {
    if (pending_.load(std::memory_order_acquire) != claim) return false;
    pending_.store(0, std::memory_order_relaxed);
    return true;
  }
  /// Gives up a claim. True if the vertex is ready: this thread sees to that.
  [[nodiscard]] bool unclaim() noexcept {
    return pending_.fetch_and(~claim, std::memory_order_acq_rel) == claim;
  }

  /// Completes; returns the list of those who waited. Nothing can be added to it any more.
  [[nodiscard]] edge* close() noexcept {
    // Acquire: the edges' contents; release: pairs with the acquire in `add_successor`.
    return successors_.exchange(closed(), std::memory_order_acq_rel);
  }

  /// Instead of a list of successors it has a place in a graph that repeats, until it is opened
  /// again. It runs when `count` vertices are complete.
  void recur(recurrence& place, std::uint32_t count) noexcept {
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
  static constexpr std::uint32_t guard = 1U << 30, claim = 1U << 31;
  static constexpr std::uintptr_t repeats = 2;
  /// `taken` away from what was pending.
  static arrival came(std::uint32_t pending, std::uint32_t taken = 1) noexcept {
    return pending == taken             ? arrival::last
           : pending == (claim | taken) ? arrival::last_for_claimer
                                        : arrival::early;
  }
  static edge* closed() noexcept { return reinterpret_cast<edge*>(std::uintptr_t{1}); }

  std::atomic<edge*> successors_{closed()};
  std::atomic<std::uint32_t> pending_{0};
  std::uint32_t life_ = 0;
};

}  // namespace deed::tasks
