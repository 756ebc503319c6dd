// SPDX-License-Identifier: MIT
#pragma once

#include "rules/rule.hpp"

#include <string>

namespace deed::check {

/// "stored in `kept` here", of a view or a right that outlives its task.
[[nodiscard]] inline std::string where_kept(const program& all, const parameter_effects& p) {
  if (!p.kept_in.known()) return "given to a thread here, which may go on";
  return "stored in " + quoted(spelling(all, p.kept_in)) + " here";
}

}  // namespace deed::check
