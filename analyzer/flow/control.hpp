// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"

#include <vector>

namespace deed::check {

/// Which blocks decide whether a block runs.
class control {
 public:
  explicit control(const function& f);

  /// The block where the paths that split at `block` meet again; -1 if they never do.
  [[nodiscard]] int meets_at(int block) const { return joins_[static_cast<std::size_t>(block)]; }
  /// The blocks whose conditions decide whether `block` runs, the nearest first.
  [[nodiscard]] std::vector<int> deciders(int block) const;
  /// The blocks between a split and the point where its paths meet.
  [[nodiscard]] std::vector<int> region(int block) const;

 private:
  const function& f_;
  std::vector<int> joins_;                // immediate post-dominators
  std::vector<std::vector<int>> direct_;  // by block
};

}  // namespace deed::check
