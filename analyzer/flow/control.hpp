// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"

#include <set>
#include <vector>

namespace deed::check {

/// What is over after a throw that nobody catches: this call, or the job with all its ranks.
enum class throw_ends { call, job };

/// Which blocks decide whether a block runs.
class control {
 public:
  /// Where a throw ends the job, the paths that throw decide nothing about what follows.
  explicit control(const function& f, throw_ends what = throw_ends::call);

  /// The block where the paths that split at `block` meet again; -1 if they never do.
  [[nodiscard]] int meets_at(int block) const { return joins_[static_cast<std::size_t>(block)]; }
  /// The blocks whose conditions decide whether `block` runs, the nearest first.
  [[nodiscard]] std::vector<int> deciders(int block) const;
  /// Those of them that decide it themselves, and not by deciding another that does.
  [[nodiscard]] const std::vector<int>& direct_deciders(int block) const {
    return direct_[static_cast<std::size_t>(block)];
  }
  /// The blocks between a split and the point where its paths meet.
  [[nodiscard]] std::vector<int> region(int block) const;

 private:
  [[nodiscard]] std::vector<int> from_the_end() const;
  [[nodiscard]] const std::vector<int>& successors(int block) const;

  const function& f_;
  const throw_ends throw_ends_;
  std::vector<int> joins_;                // immediate post-dominators
  std::vector<std::vector<int>> direct_;  // by block
};

/// The blocks that are met from one on, which is the first of them, up to an end, which is none.
/// -1: there is no such block. Where a throw ends the job, the block that throws is none either.
[[nodiscard]] std::set<int> reached(const function& f, int from, int end = -1,
                                    throw_ends what = throw_ends::call);

/// Whether a function may catch what a callee throws: calls have no edge to the choice of a
/// handler, so that nothing leads there.
[[nodiscard]] bool may_catch(const function& f);

}  // namespace deed::check
