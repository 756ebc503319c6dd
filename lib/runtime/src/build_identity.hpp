// SPDX-License-Identifier: MIT
#pragma once

#include <string>

/// @file
/// Which program this process runs, so that ranks of different builds do not talk.

namespace deed::runtime {

/// "deed 0.1.0, 64 bits, little-endian, program 3f1c…": equal where the executables are. deed is
/// part of the executable, so that its build id says all; without one, versions and sizes do.
[[nodiscard]] std::string build_identity();

}  // namespace deed::runtime
