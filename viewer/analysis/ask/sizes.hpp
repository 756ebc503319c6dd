// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <vector>

/// @file
/// How large data are when they travel.

namespace deed::viewer {

/// By handle: what its last transfer moved. A registration, and a transfer that is only asked for,
/// know the size of the object, not of what it holds: 24 bytes for a vector of any length. So they
/// count only where nothing arrived.
/// Cost: one pass over the transfers.
[[nodiscard]] std::vector<std::uint64_t> sizes_of_data(const model& of);

}  // namespace deed::viewer
