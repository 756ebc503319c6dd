// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

/// @file
/// What the words of an answer mean.

namespace deed::viewer {

/// Of a device, its time without a kernel. With a comma: a codelet may be called `empty`.
inline constexpr std::string_view device_copies_alone = "device, copies alone",
                                  device_empty = "device, empty";

/// Of a part of a worker's time, as `shares` names it; empty for the name of a codelet.
[[nodiscard]] std::string_view meaning_of(std::string_view part);

}  // namespace deed::viewer
