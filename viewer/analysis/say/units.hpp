// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// @file
/// Numbers as people write them.

namespace deed::viewer {

/// "12.310 ms", "214 us", "0 ns": four digits at most before the unit changes.
[[nodiscard]] std::string say_time(std::int64_t nanoseconds);
/// "2.0 MB", "512 B": powers of ten, as the network counts.
[[nodiscard]] std::string say_bytes(std::uint64_t bytes);
/// "1,234,567".
[[nodiscard]] std::string say_count(std::uint64_t count);
/// "1 task", "2 tasks".
[[nodiscard]] std::string say_some(std::uint64_t count, std::string_view noun);
/// "12.3ms", "10us", "5" (nanoseconds), "1.5s".
[[nodiscard]] std::optional<std::int64_t> parse_time(std::string_view text);

}  // namespace deed::viewer
