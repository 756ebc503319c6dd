// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"

namespace deed::check {

/// The events of a function as lines of text, for tests and for `--print-facts`.
[[nodiscard]] std::string printed(const program& all, const function& f);

}  // namespace deed::check
