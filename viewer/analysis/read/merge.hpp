// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/event_list.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

/// @file
/// Work on many streams at once.

namespace deed::viewer {

/// Calls `work(0)` to `work(count - 1)`, each once, on a few threads.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

/// All streams in time order; equal times in the order of the streams. The streams are emptied.
/// Cost: O(n log streams), shared by the threads of the machine.
[[nodiscard]] std::unique_ptr<stored_event[]> merge(std::vector<std::vector<stored_event>>& streams,
                                                    std::size_t& size);

}  // namespace deed::viewer
