// SPDX-License-Identifier: MIT
#pragma once

#include <deed/tasks/recurrence.hpp>
#include <deed/tasks/recycler.hpp>
#include <deed/tasks/vertex.hpp>

#include <cstdint>

/// @file
/// From accesses to edges: readers follow the last writer, a writer follows the readers before it.

namespace deed::tasks {

/// Where all readers between two writers meet, so that the next writer has one edge to wait for
/// however many they were.
class alignas(64) meeting final : public vertex {
 public:
  meeting* next = nullptr;  // In a list of free ones.
};

/// The order on one datum. Threads: the submitter.
struct chain {
  vertex* writer = nullptr;
  meeting* readers_meet = nullptr;
  std::uint32_t writer_life = 0;
  std::uint32_t readers = 0;
};

/// One vertex's place on one chain; lives in the vertex's memory until it is complete.
struct link {
  edge entry;                 // From the writer, or from the readers' meeting.
  meeting* leaves = nullptr;  // Readers: where they report that they are done.
};

/// Makes edges from accesses, in the order of submission.
///
/// Threads: `read`, `write` from the submitter; `leave`, `finish` from any.
/// Cost: per access one load, and one compare-and-swap if what it follows is not complete. Readers
///   are O(1): a million of them cost the next writer one edge. Memory: 64 bytes per group of
///   readers, used again.
class graph {
 public:
  graph() = default;
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;

  /// Asks for the memory that `write` is going to change, which another core may have.
  static void ask_for(const chain& order) noexcept {
    if (order.readers_meet != nullptr) __builtin_prefetch(order.readers_meet, 1);
  }
  /// `reader` follows the last writer of `order`. Adds to `edges` what it has to wait for.
  void read(chain& order, vertex& reader, link& at, std::uint32_t& edges);
  /// `writer` follows all readers since the last writer of `order`, and that writer.
  void write(chain& order, vertex& writer, link& at, std::uint32_t& edges);

  /// `later` follows the last writer of `order`, and nothing of it follows `later`.
  static void follow(const chain& order, vertex& later, edge& at, std::uint32_t& edges) {
    if (order.writer == nullptr || order.writer->life() != order.writer_life) return;
    if (order.writer->add_successor(at, later)) ++edges;
  }

  /// Whether anything on `order` waits for `waiting`, whose place there is `at`.
  /// Threads: the submitter, before it completes.
  [[nodiscard]] static bool is_followed(const chain& order, const vertex& waiting,
                                        const link& at) noexcept {
    return waiting.is_followed() || (at.leaves != nullptr && at.leaves != order.readers_meet);
  }

  /// Of each thread that completes vertices.
  using bin = recycler<meeting>::bin;

  /// A vertex that is about to finish is done with one of its data. Calls `tell(vertex&)` for each
  /// that waits for it: one arrival there.
  template <class Tell>
  void leave(link& at, bin& mine, Tell&& tell) {
    if (at.leaves == nullptr || at.leaves->arrive() != vertex::arrival::last) return;
    hand_on(at.leaves->close(), tell);
    meetings_.give_back(*at.leaves, mine);
  }
  /// Asks for the memory that `leave` is going to change.
  static void ask_for(const link& at) noexcept { __builtin_prefetch(at.leaves, 1); }
  /// `done` is complete, and has left all its data. Calls `tell` as `leave` does.
  template <class Tell>
  static void finish(vertex& done, Tell&& tell) {
    edge* const waiting = done.close();
    if (recurrence* const place = vertex::place_in(waiting)) [[unlikely]]
      return go_round(done, *place, tell);
    hand_on(waiting, tell);
  }

 private:
  template <class Tell>
  static void hand_on(edge* first, Tell&& tell) {
    for (edge* at = first; at != nullptr;) {
      edge* const next = at->next;  // Before the arrival: then its memory may be used again.
      vertex& waiting = *at->to;
      tell(waiting);
      at = next;
    }
  }

  /// Behind the last of these calls `done` may run again, and change its place.
  template <class Tell>
  static void go_round(vertex& done, recurrence& place, Tell&& tell) {
    const bool last = --place.left == 0;
    const auto [later, again, count, _] = place;
    for (vertex* const each : later)
      __builtin_prefetch(each, 1);  // At once: other cores have them.
    done.recur(place, count);
    for (vertex* const each : later) tell(*each);
    if (last) return;
    for (vertex* const each : again) tell(*each);
  }

  recycler<meeting> meetings_;
};

}  // namespace deed::tasks
