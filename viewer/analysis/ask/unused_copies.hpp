// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <vector>

/// @file
/// What was sent for nothing.

namespace deed::viewer {

/// Transfers for tasks, or ahead of them, whose version nobody on the receiving rank used after it
/// had come: no task, no borrow, and it was not sent on from there.
/// Cost: O(transfers + accesses).
[[nodiscard]] std::vector<std::uint32_t> unused_copies(const model& of);
/// That got such copies, and of which that is not known: they lost events, did not come to their
/// end, or recorded no access.
[[nodiscard]] std::vector<int> ranks_of_unknown_use(const model& of);

}  // namespace deed::viewer
