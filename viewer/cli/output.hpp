// SPDX-License-Identifier: MIT
#pragma once

#include "cli/options.hpp"

/// @file
/// Where commands may write.

namespace deed::viewer {

/// A recording cannot be made again: only `repair` and `pack` change one, and `collect` adds ranks.
/// @throws unwritable if `-o` is a recorded run or lies in one.
void refuse_recorded_output(const options& given);

}  // namespace deed::viewer
