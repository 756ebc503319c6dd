// SPDX-License-Identifier: MIT
#pragma once

#include "rules/rule.hpp"

/// @file
/// The rules by name. A new rule is a file, a line here and a line in registry.cpp.

namespace deed::check {

extern const rule d101, d102, d104, d105, d112, d113, d114, d115, d116, d208, d209, d305, d306,
    d307, d308, d413, d501, d502, d603, d612, d702, d703, d704, d801;

}  // namespace deed::check
