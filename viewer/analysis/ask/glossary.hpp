// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

/// @file
/// What the words of an answer mean.

namespace deed::viewer {

/// Of a part of a worker's time, as `shares` names it; empty for the name of a codelet.
[[nodiscard]] std::string_view meaning_of(std::string_view part);

}  // namespace deed::viewer
