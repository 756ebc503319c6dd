// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/lod/track.hpp"
#include "analysis/model.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace deed::viewer {

/// Transfers from one rank to another, together.
struct arrow_bundle {
  int src = 0;
  int dst = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const arrow_bundle&, const arrow_bundle&) = default;
};

/// Sums of the transfers of a track by their two ranks, with a tree of sums above them.
/// Keeps: the track and the model outlive it.
class arrow_bundles {
 public:
  arrow_bundles() = default;
  arrow_bundles(const track& of, const model& in);

  /// Of the spans [first, last) of the track. Cost: the pairs of ranks, times the logarithm of the
  /// number of spans.
  [[nodiscard]] std::vector<arrow_bundle> of(std::size_t first, std::size_t last) const;
  /// Of some transfers of the model; cost: their number.
  [[nodiscard]] std::vector<arrow_bundle> of(std::span<const std::uint32_t> transfers) const;

 private:
  static constexpr std::size_t leaf_size = 2'048, fan_out = 8;

  struct sum {
    std::uint32_t pair = 0;      // Of `pairs_`.
    std::uint32_t messages = 0;  // As many as the model has, at most.
    std::uint64_t bytes = 0;
  };
  using sums = std::vector<sum>;

  [[nodiscard]] std::vector<arrow_bundle> nothing() const;
  [[nodiscard]] static std::vector<arrow_bundle> known(std::vector<arrow_bundle> all);
  [[nodiscard]] static sums sparse(const std::vector<arrow_bundle>& all);
  void add_transfer(std::vector<arrow_bundle>& to, std::uint32_t transfer) const;
  void add_spans(std::vector<arrow_bundle>& to, std::size_t first, std::size_t last) const;

  const track* track_ = nullptr;
  const model* model_ = nullptr;
  std::vector<std::pair<int, int>> pairs_;  // Those between which something went, in order.
  std::vector<std::vector<sums>> levels_;
};

}  // namespace deed::viewer
