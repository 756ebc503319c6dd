// SPDX-License-Identifier: MIT
#pragma once

#include "flow/control.hpp"
#include "flow/function.hpp"

#include <functional>
#include <map>
#include <set>
#include <utility>

namespace deed::check {

/// The variables that an event looks at, some of them several times.
void each_looked_at(const event& e, const std::function<void(variable_id)>& see);

/// Where a function looks at its variables: whoever only gives one a value does not.
class mentions {
 public:
  /// Keeps: references to both.
  mentions(const function& f, const control& decisions);

  /// Whether a variable is looked at by those that did not go one way from a split: elsewhere than
  /// between the split and the block where its ways meet again. One that is not is the same for all
  /// that look at it, whatever it becomes there: a loop behind `if (failed) return;`.
  [[nodiscard]] bool outside(variable_id v, int split) const;

 private:
  const control& decisions_;
  std::map<variable_id, std::set<int>> blocks_;
  mutable std::map<std::pair<variable_id, int>, bool> known_;
};

}  // namespace deed::check
