// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/say/units.hpp"

#include <string>

/// "of 500.0 us to 700.0 us": what an answer is about while a range is selected.
inline std::string sayRange(const deed::viewer::time_range &range)
{
    return "of " + deed::viewer::say_time(range.from) + " to " + deed::viewer::say_time(range.to);
}
