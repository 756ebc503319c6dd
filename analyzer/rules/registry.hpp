// SPDX-License-Identifier: MIT
#pragma once

#include "rules/rule.hpp"

/// @file
/// The rules by name. A new rule is a file, a line here and a line in registry.cpp.

namespace deed::check {

extern const rule d101, d102, d209, d306, d307;

}  // namespace deed::check
