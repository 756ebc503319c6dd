// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/metadata.hpp"

#include <cstdint>
#include <functional>
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

struct described_rank {
  trace_layout layout;
  /// Its process lived, or was of another machine; never of a slice.
  bool may_be_recorded = false;
};
/// What the metadata of a rank say when `read`, as they are once its process is known to be gone.
[[nodiscard]] described_rank describe(const std::function<trace_layout()>& read);

}  // namespace deed::viewer
