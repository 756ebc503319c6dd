// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/event_list.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

/// @file
/// From event to event, with what each needs brought near before its turn.

namespace deed::viewer {

/// Calls `work` with the number of each event of some kinds, in time order. Its fields are near by
/// then.
void walk(const event_list& events, bool (*wanted)(record), const auto& work) {
  constexpr std::size_t ahead = 32;  // Events from the look for the fields to their turn.
  std::array<std::uint32_t, ahead> under_way{};
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (!wanted(events.what(i))) continue;
    events.fetch_fields(i);
    std::uint32_t& place = under_way[count % ahead];
    if (count >= ahead) work(place);
    place = i;
    ++count;
  }
  for (std::size_t n = count < ahead ? 0 : count - ahead; n < count; ++n)
    work(under_way[n % ahead]);
}

}  // namespace deed::viewer
