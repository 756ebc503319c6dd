// SPDX-License-Identifier: MIT
#pragma once

#include <deed/runtime/run.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// What a program would do on so many ranks, without running a task.

namespace deed {

/// A chain of tasks, each of which waits for the one before it.
struct path_length {
  std::uint64_t tasks = 0;
  std::uint64_t flops = 0;  ///< What its tasks said of themselves: `deed::flops{n}`.
};

struct planned_traffic {
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;    ///< Of a type that grows, such as std::vector, the type itself alone.
  std::uint64_t unsized = 0;  ///< Transfers of such types.
};

/// Memory at the end of an epoch. Units: bytes.
struct planned_memory {
  std::uint64_t owned = 0;        ///< Data that the rank owns.
  std::uint64_t copies = 0;       ///< Copies of other ranks' data.
  std::uint64_t most_copies = 0;  ///< That they took at once, up to here.
};

/// One rank's part.
struct rank_plan {
  std::uint64_t tasks = 0;
  std::uint64_t flops = 0;
  std::map<std::string, std::uint64_t> tasks_of;  ///< By codelet.
  std::map<int, planned_traffic> sent_to;         ///< By rank.
  std::vector<planned_memory> epochs;             ///< One per `wait()`.
};

/// What all ranks would do. Collectives on values and between groups are not in its bytes.
struct plan {
  std::vector<rank_plan> ranks;
  path_length critical_path;  ///< The longest chain by tasks, and the longest by flops.

  [[nodiscard]] std::uint64_t tasks() const noexcept;
  [[nodiscard]] std::uint64_t flops() const noexcept;
  /// From a rank to a rank. @throws std::out_of_range if there is no such rank; so do the others.
  [[nodiscard]] planned_traffic between(rank from, rank to) const;
  [[nodiscard]] planned_traffic sent() const noexcept;  ///< By all.
  [[nodiscard]] planned_traffic sent_by(rank who) const;
  [[nodiscard]] planned_traffic received_by(rank who) const;
  /// Copies that a rank has at once, of the rank that has most. Units: bytes.
  [[nodiscard]] std::uint64_t most_copies_bytes() const noexcept;
  /// Tasks of the busiest rank over the mean of all; 1: all have equally many.
  [[nodiscard]] double imbalance() const noexcept;

  /// One screen; `shown`: the rank that is told in detail, -1: none.
  [[nodiscard]] std::string text(int shown = -1) const;
};

namespace runtime {

plan dry_run(int ranks, const std::function<void(session&, arguments)>& program,
             std::span<const std::string> given, const session_options& options);

}  // namespace runtime

/// Runs `program(session)` or `program(session, arguments)` as so many virtual ranks that submit
/// everything and run no task: what would run where, what would travel, and what memory copies
/// would take. Values are not made: a borrow shows zeros, what a collective on values gives is
/// real. `session.is_dry()` tells the program; a loop that ends by a value has to ask it.
///
/// The same from outside: `DEED_DRY=N ./program`, or R/N for one of them in detail.
/// Blocks: until all ranks have ended. Cost: that of submitting, on every rank in turn.
/// @throws what the program throws; deed::error D007 for no rank, or more than the process can have
///   stacks (`vm.max_map_count`).
///
/// @code{.cpp}
/// const deed::plan plan = deed::dry_run(64, heat);
/// EXPECT_LE(plan.most_copies_bytes(), 1u << 30);
/// @endcode
template <class Program>
[[nodiscard]] plan dry_run(int ranks, Program&& program, const session_options& options = {},
                           std::span<const std::string> given = {}) {
  if constexpr (std::is_invocable_v<Program&, session&, arguments>) {
    return runtime::dry_run(ranks, std::forward<Program>(program), given, options);
  } else {
    return runtime::dry_run(
        ranks, [&](session& joined, arguments) { program(joined); }, given, options);
  }
}

}  // namespace deed
