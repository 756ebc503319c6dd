// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

/// @file
/// Of what the values of reductions are made.

namespace deed::viewer {

/// What a rank adds up to a part of a reduction, or to its value: what a task there contributed, or
/// what another rank had added up.
struct contribution {
  std::uint32_t task = none;
  std::uint32_t transfer = none;
  std::int64_t at = never;    ///< When it was there; never: there is none.
  std::uint32_t version = 0;  ///< Of which value it is a part.
};

/// Not for the value that a reduction had before, to which its owner adds the rest.
/// Cost: a pass over accesses and transfers, and sorts those that contribute.
class contributions {
 public:
  explicit contributions(const model& of);
  /// The last that a rank adds up of a version; of those, its last task, and the last transfer.
  [[nodiscard]] contribution last_of(int rank, std::uint32_t handle, std::uint32_t version) const;
  [[nodiscard]] std::uint32_t last_task(int rank, std::uint32_t handle,
                                        std::uint32_t version) const;
  [[nodiscard]] std::uint32_t last_arrival(int rank, std::uint32_t handle,
                                           std::uint32_t version) const;
  /// All that a rank adds up of a version.
  [[nodiscard]] std::span<const contribution> all_of(int rank, std::uint32_t handle,
                                                     std::uint32_t version) const;
  /// Until a moment, of any version.
  [[nodiscard]] contribution last_until(int rank, std::uint32_t handle, std::int64_t moment) const;
  /// The same, or a transfer that brought the value of one.
  [[nodiscard]] contribution last_value(int rank, std::uint32_t handle, std::int64_t moment) const;

 private:
  struct of_version {
    contribution last, own, came;
    std::vector<contribution> all;
  };
  void add(int rank, std::uint32_t handle, const contribution& each);

  std::map<std::tuple<int, std::uint32_t, std::uint32_t>, of_version> versions_;
  using by_rank_and_datum = std::map<std::pair<int, std::uint32_t>, std::vector<contribution>>;
  [[nodiscard]] static contribution last_in(const by_rank_and_datum& all, int rank,
                                            std::uint32_t handle, std::int64_t moment);
  by_rank_and_datum all_, values_;  // By time.
};

}  // namespace deed::viewer
