// SPDX-License-Identifier: MIT
#pragma once

#include "facts/unit.hpp"

#include <set>

namespace deed::check {

/// What has to be known of a body before its first event: which variable a call initialises, what a
/// reference is bound to, which tokens stay in variables, which memory is registered in place.
struct preparation {
  std::set<variable_id> storage;
};
[[nodiscard]] preparation prepare(unit& facts, const clang::FunctionDecl& body);

}  // namespace deed::check
