// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

/// @file
/// The pages of docs/errors, which the build puts into the tool.

namespace deed::check {

/// Of "D306", in Markdown, with the wrong and the right program. Empty: it has none.
[[nodiscard]] std::string_view page_of(std::string_view code);

}  // namespace deed::check
