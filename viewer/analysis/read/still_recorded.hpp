// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

/// @file
/// Whether a rank that did not end its recording may still do so: a packet that is being written
/// looks as one that was cut off.

namespace deed::viewer {

/// The number of the process that a rank's metadata name, if it lives; none: it is gone, or of
/// another machine, of which nothing is known.
[[nodiscard]] std::optional<std::uint64_t> recording_process(
    const std::map<std::string, std::string>& environment);
[[nodiscard]] bool is_this_machine(const std::string& host);

}  // namespace deed::viewer
