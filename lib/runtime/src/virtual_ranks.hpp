// SPDX-License-Identifier: MIT
#pragma once

#include <string>

/// @file
/// How many virtual ranks a process can hold.

namespace deed::runtime {

/// Why this machine cannot hold so many; empty if it can.
[[nodiscard]] std::string too_many_virtual_ranks(int ranks);

}  // namespace deed::runtime
