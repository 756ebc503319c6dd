// SPDX-License-Identifier: MIT
#pragma once

#include "rules/rule.hpp"

#include <functional>

/// @file
/// Vectors, arrays and maps of data of which none has a value.

namespace deed::check {

struct unset_read {
  const event* call = nullptr;
  const operand* token = nullptr;
  const event* registration = nullptr;  // of the first of them
};

/// Looks at the first read of an element of each list that this function makes of data without a
/// value, if nothing that may write one can come before it.
void for_each_unset_read(const whole_function& seen,
                         const std::function<void(const unset_read&)>& look);

}  // namespace deed::check
