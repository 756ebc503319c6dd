// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace deed::check {

/// A JSON string with its quotes.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace deed::check
