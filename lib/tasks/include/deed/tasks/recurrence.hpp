// SPDX-License-Identifier: MIT
#pragma once

#include <deed/tasks/vertex.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// @file
/// A graph that runs over and over. Its edges are found once; a vertex that completes waits anew.

namespace deed::tasks {

/// What a vertex of such a graph has instead of a list of successors that closes.
struct recurrence {
  std::span<vertex* const> later;  ///< Wait for it in the same iteration.
  std::span<vertex* const> again;  ///< Wait for it in the next one; none lies behind it.
  std::uint32_t waits_for = 0;     ///< Vertices, from the second iteration on.
  std::uint64_t left = 0;          ///< Iterations that it has not completed.
};

/// One iteration: its vertices and what each of them uses, in the order of submission.
///
/// Two vertices that use one datum, of which one writes it, are joined by a path in every
/// iteration, and by one back into the next. So what is told to a vertex of its next run arrives
/// when it has completed this one: a counter each is enough, however far iterations run apart.
///
/// Threads: one adds and starts; any completes.
/// Cost: O(uses) and a hash per datum, once; then an atomic subtraction per edge and iteration.
///   Memory: 64 bytes per vertex, 16 per use and 8 per edge; a writer behind k readers has k.
class recurrent_graph {
 public:
  /// The next vertex. What it uses follows.
  void add(vertex& next) { steps_.push_back({&next, uses_.size()}); }
  /// The newest vertex uses what lies at `datum`.
  void use(const void* datum, bool writes) { uses_.push_back({datum, writes}); }

  /// Lets all run `times` times: at least once, and again when all have. The edges are found the
  /// first time.
  /// @return those that wait for nothing, in order: run them.
  [[nodiscard]] std::vector<vertex*> start(std::uint64_t times);

 private:
  struct step {
    vertex* what;
    std::size_t uses;  // The first of them.
  };
  struct one_use {
    const void* datum;
    bool writes;
  };
  struct found_edge {
    std::uint32_t from;
    bool again;
    std::uint32_t to;
    friend auto operator<=>(const found_edge&, const found_edge&) = default;
  };
  [[nodiscard]] std::vector<found_edge> find() const;

  std::vector<step> steps_;
  std::vector<one_use> uses_;
  std::vector<found_edge> edges_;
  std::vector<vertex*> successors_;
  std::vector<recurrence> recurrences_;
};

}  // namespace deed::tasks
