// SPDX-License-Identifier: MIT
#pragma once

#include <deed/tasks/vertex.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// @file
/// From accesses to edges: readers follow the last writer, a writer follows the readers before it.

namespace deed::tasks {

/// Where all readers between two writers meet, so that the next writer has one edge to wait for
/// however many they were.
class alignas(64) meeting final : public vertex {
 public:
  meeting* next_free = nullptr;
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
/// Threads: `read`, `write` from the submitter; `complete` from any.
/// Cost: per access one load, and one compare-and-swap if what it follows is not complete. Readers
///   are O(1): a million of them cost the next writer one edge. Memory: 64 bytes per group of
///   readers, used again.
class graph {
 public:
  graph() = default;
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;

  /// `reader` follows the last writer of `order`. Adds to `edges` what it has to wait for.
  void read(chain& order, vertex& reader, link& at, std::uint32_t& edges);
  /// `writer` follows all readers since the last writer of `order`, and that writer.
  void write(chain& order, vertex& writer, link& at, std::uint32_t& edges);

  /// `done` is complete: calls `ready(vertex&)` for each that waited for it alone.
  template <class Ready>
  void complete(vertex& done, std::span<link> links, Ready&& ready) {
    for (link& at : links) {
      if (at.leaves != nullptr && at.leaves->arrive()) release(*at.leaves, ready);
    }
    hand_on(done, ready);
  }

 private:
  template <class Ready>
  static void hand_on(vertex& done, Ready&& ready) {
    for (edge* at = done.close(); at != nullptr;) {
      edge* const next = at->next;  // Before the arrival: then its memory may be used again.
      vertex& waiting = *at->to;
      if (waiting.arrive()) ready(waiting);
      at = next;
    }
  }
  template <class Ready>
  void release(meeting& done, Ready&& ready) {
    hand_on(done, ready);
    give_back(done);
  }

  meeting& make_meeting();
  void give_back(meeting& done) noexcept;

  std::atomic<meeting*> returned_{nullptr};  // Pushed by completers, taken whole by the submitter.
  meeting* free_ = nullptr;
  std::vector<std::unique_ptr<meeting[]>> slabs_;
};

}  // namespace deed::tasks
