// SPDX-License-Identifier: MIT
#pragma once

#include "driver/options.hpp"
#include "rules/left_out.hpp"

#include <chrono>
#include <string>

/// @file
/// What a run looked at, and what it left out.

namespace deed::check {

/// For `--stats`: counts, and the first places.
[[nodiscard]] std::string as_stats(const program& all, const extraction& read, const left_out& what,
                                   std::size_t found, std::chrono::milliseconds spent);

/// For `--why-not`: what was not looked at in the functions around a line.
[[nodiscard]] std::string as_why_not(const program& all, const left_out& what,
                                     const place_in_file& where);

}  // namespace deed::check
