// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/mapped_file.hpp"

#include <optional>
#include <span>
#include <string_view>

/// @file
/// Streams that were packed with zstd: FILE.zst, of which `zstd -d` makes FILE.

namespace deed::viewer {

inline constexpr std::string_view packed_suffix = ".zst";
/// A file that says it were more is no recording.
inline constexpr std::size_t most_unpacked_bytes = std::size_t{256} << 20;

[[nodiscard]] inline bool is_packed(std::string_view name) { return name.ends_with(packed_suffix); }

/// In memory of its own; nothing if the bytes are damaged or too many.
[[nodiscard]] std::optional<mapped_file> unpack(std::span<const std::byte> packed);

}  // namespace deed::viewer
