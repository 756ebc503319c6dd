// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// @file
/// What lies in the folders of a run.

namespace deed::viewer {

/// Behind the name of a rank without a folder, which others have met.
inline constexpr const char* absent_files = ": it ran, and its files are not here";
/// Behind the name of a rank in a slice.
inline constexpr const char* slice_of_gaps =
    ": events are missing, as of the run that it is cut from";

/// The folders of the ranks, by their numbers.
/// @throws unreadable if there is none.
[[nodiscard]] std::vector<std::pair<int, std::string>> rank_folders(const std::string& run);

/// Why a file that is there cannot be opened, "Permission denied"; empty: it can, or is not there.
[[nodiscard]] std::string why_closed(const std::string& file);

/// The text of the metadata of a rank.
/// @throws unreadable if there is none.
[[nodiscard]] std::string metadata_text(const std::string& folder);

/// The files of each stream, in their order: of the folder, and of the tail that its metadata name.
/// `segments_of` throws unreadable, if the folder cannot be listed.
using segments = std::map<std::string, std::map<std::uint64_t, std::string>>;
[[nodiscard]] segments segments_of(const std::string& folder,
                                   const std::map<std::string, std::string>& environment);

/// The digits at the start.
[[nodiscard]] std::uint64_t to_number(const std::string& text);

}  // namespace deed::viewer
