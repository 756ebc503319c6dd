// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <vector>

/// @file
/// How large data are when they travel.

namespace deed::viewer {

/// By handle: what its last transfer moved. What a registration knows of the value counts only
/// where nothing arrived, and a transfer that is only asked for not at all: it knows the size of
/// the object, 24 bytes for a vector of any length. Cost: one pass over the transfers.
[[nodiscard]] std::vector<std::uint64_t> sizes_of_data(const model& of);
/// What a transfer moved, by these sizes where its end is not known: nothing if it never took
/// place.
[[nodiscard]] std::uint64_t bytes_moved(const transfer& x, const std::vector<std::uint64_t>& sizes);

}  // namespace deed::viewer
