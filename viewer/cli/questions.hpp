// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"
#include "analysis/read/run.hpp"
#include "analysis/say/answer.hpp"
#include "cli/options.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// @file
/// The commands of deed-trace that ask a run something.

namespace deed::viewer {

/// With the clocks of its ranks corrected. @throws unreadable
[[nodiscard]] run opened(const std::string& path, clock_correction by);

/// Of "begin", "end" and "error", the first one; none of other words.
/// @throws usage_error if there was no error.
[[nodiscard]] std::optional<std::int64_t> named_moment(const run& of, const std::string& text);
/// "12.3ms". @throws usage_error if it is no time, or not one of the run.
[[nodiscard]] std::int64_t time_in(const model& of, const std::string& text);

/// Of `check --rule`; empty: all. @throws usage_error if there is no such rule.
[[nodiscard]] std::string rule_in(const options& given);

/// @throws usage_error, query_error; of `diff` also unreadable.
[[nodiscard]] answer ask(const std::string& command, const model& of, const options& given,
                         const run_part& part);

}  // namespace deed::viewer
