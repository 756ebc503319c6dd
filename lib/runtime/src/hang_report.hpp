// SPDX-License-Identifier: MIT
#pragma once

#include "inquest.hpp"

#include <string>
#include <vector>

/// @file
/// What a deadlock leaves behind for `deed-view` and `deed-trace waits`: all that the ranks wait
/// for, where the message of the error shows the first lines.

namespace deed::runtime {

/// The report as JSON: "format": "deed-hang", the code and its sentence, and per rank where it
/// stands, what it waits for, and messages that nobody received.
[[nodiscard]] std::string hang_report(const std::vector<statement>& ranks, const verdict& result);

}  // namespace deed::runtime
