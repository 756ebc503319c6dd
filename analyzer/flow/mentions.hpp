// SPDX-License-Identifier: MIT
#pragma once

#include "flow/control.hpp"
#include "flow/function.hpp"

#include <map>
#include <set>
#include <utility>

namespace deed::check {

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
  void look(int block, const path& at, bool given = false);
  void look(int block, const value_ref& v);
  void look(int block, const operand& o);
  void look(int block, const event& e);

  const function& f_;
  const control& decisions_;
  std::map<variable_id, std::set<int>> blocks_;
  mutable std::map<std::pair<variable_id, int>, bool> known_;
};

}  // namespace deed::check
