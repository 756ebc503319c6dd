// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/event_list.hpp"
#include "analysis/read/packets.hpp"
#include "analysis/store/unset_vector.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// @file
/// Work on many streams at once.

namespace deed::viewer {

/// Calls `work(0)` to `work(count - 1)`, each once, on a few threads.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

/// Events by the datum that they name, in time order.
/// Cost: 4 bytes per event that names one.
class events_of_data {
 public:
  events_of_data() = default;
  /// `handle_of_event` is of all events, `count` that of the data; what is none of them is left
  /// out.
  events_of_data(std::span<const std::uint32_t> handle_of_event, std::size_t count);
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t handle) const {
    if (handle + std::size_t{1} >= starts_.size()) return {};
    return std::span(events_).subspan(starts_[handle], starts_[handle + 1] - starts_[handle]);
  }

 private:
  unset_vector<std::uint32_t> events_;
  std::vector<std::size_t> starts_;  // By datum, and the end.
};

struct merged_events {
  event_list events;
  events_of_data of_data;
  std::uint64_t wild = 0;  ///< Events before `first` or after `last`: they are moved there.
};

/// All streams in time order; equal times in the order of the streams. The streams are emptied.
/// Times then count from `first`.
/// Cost: O(n log streams), shared by the threads of the machine.
[[nodiscard]] merged_events merge(std::span<stream_content> streams,
                                  std::span<const event_file> files, std::uint64_t first,
                                  std::uint64_t last);

}  // namespace deed::viewer
