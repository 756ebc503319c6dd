// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <string>
#include <string_view>
#include <vector>

/// @file
/// Where a thread was when something failed.

namespace deed::viewer {

/// A recorded line for each function, in words: `tile_product(double*) in cholesky+0x1234`.
[[nodiscard]] std::vector<std::string> say_frames(std::string_view recorded);

/// The same for whoever looks for the program's own: several others in a row are one line. All
/// where none is the program's.
[[nodiscard]] std::vector<std::string> say_few_frames(std::string_view recorded);

/// Of an error or a signal, the innermost function first; empty if there is none.
[[nodiscard]] std::vector<std::string> backtrace_of(const model& of, const event& e);

/// "no more than 24 functions are recorded", where there may be more of them; else empty.
[[nodiscard]] std::string say_cut(const std::vector<std::string>& frames);

/// As a table of few, if there is one. The first that is told is `answer::backtrace`, whole.
void tell_backtrace(const model& of, const event& e, answer& into);

}  // namespace deed::viewer
