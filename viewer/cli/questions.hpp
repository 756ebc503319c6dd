// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"
#include "analysis/read/run.hpp"
#include "analysis/say/answer.hpp"
#include "cli/options.hpp"

#include <string>

/// @file
/// The commands of deed-trace that ask a run something.

namespace deed::viewer {

/// With the clocks of its ranks corrected. @throws unreadable
[[nodiscard]] run opened(const std::string& path, clock_correction by);

/// @throws usage_error, query_error; of `diff` also unreadable.
[[nodiscard]] answer ask(const std::string& command, const model& of, const options& given,
                         const run_part& part);

}  // namespace deed::viewer
