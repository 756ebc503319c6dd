// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

/// @file
/// What the calls of groups write to data with one owner: only their members count that.

namespace deed::viewer {

/// Each of them is a change between two that all ranks count, and has its place among all such
/// writes. Of what they write each rank has versions of its own.
class group_writes {
 public:
  /// None, where ranks count the changes of their ledgers differently for another reason, too.
  explicit group_writes(const model& of);

  [[nodiscard]] bool any() const noexcept { return !places_.empty(); }
  [[nodiscard]] bool contains(std::uint32_t event) const { return places_.contains(event); }
  /// How many changes that all ranks count a rank had made, by its own count.
  [[nodiscard]] std::uint64_t common(int rank, std::uint64_t step) const;
  /// The place of the last such write of a rank by then; none: 0.
  [[nodiscard]] std::uint64_t place(int rank, std::uint64_t step) const;
  /// How many it had made.
  [[nodiscard]] std::size_t made(int rank, std::uint64_t step) const;
  /// A number for which of them a rank had made: the same on ranks that had made the same.
  [[nodiscard]] std::uint64_t which(int rank, std::uint64_t step) const;
  /// What they wrote.
  [[nodiscard]] const std::set<std::uint32_t>& data() const noexcept { return data_; }

 private:
  struct one {
    std::uint64_t step = 0;  ///< As its rank counts it.
    std::uint64_t place = 0, which = 0;
    std::uint32_t event = none;
    std::size_t call = 0;
  };
  void collect(const model& of);
  bool order(std::size_t calls);
  void forget();

  std::map<int, std::vector<one>> of_rank_;        // As it made them.
  std::map<std::uint32_t, std::uint64_t> places_;  // By event.
  std::set<std::uint32_t> data_;
};

/// Whether ranks left out tasks by guards of the program, without `session.relevant`: then each has
/// a ledger of its own, with changes and versions that only this rank counts so. Cost: O(events).
[[nodiscard]] bool guarded(const run& of, const group_writes& beside);

}  // namespace deed::viewer
