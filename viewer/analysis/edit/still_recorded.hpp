// SPDX-License-Identifier: MIT
#pragma once

#include <string>

/// @file
/// Runs that cannot be changed yet.

namespace deed::viewer {

/// @throws unwritable if a process of this machine still records a rank of the run: a packet that
///   is being written looks as one that was cut off. Of other machines nothing is known.
void refuse_while_recorded(const std::string& run);

}  // namespace deed::viewer
