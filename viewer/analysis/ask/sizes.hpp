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

}  // namespace deed::viewer
