// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/event_list.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

/// @file
/// From event to event, with what each needs brought near before its turn.

namespace deed::viewer {

/// Calls `work` with the number of each event of some kinds, in time order. Before that, `first`
/// and then `second` may ask for memory; what they find may have changed by the time of `work`.
/// An event's fields are near by the time of `first`.
void walk(const event_list& events, bool (*wanted)(record), const auto& first, const auto& second,
          const auto& work) {
  constexpr std::size_t step = 16, last = 3 * step;  // Events from one stage to the next.
  std::array<std::uint32_t, 64> under_way{};
  const auto at = [&](std::size_t n) -> std::uint32_t& { return under_way[n % under_way.size()]; };
  const auto advance = [&](std::size_t n, std::size_t end) {
    if (n >= step && n - step < end) first(at(n - step));
    if (n >= 2 * step && n - 2 * step < end) second(at(n - 2 * step));
    if (n >= last && n - last < end) work(at(n - last));
  };
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (!wanted(events.what(i))) continue;
    events.fetch_fields(i);
    at(count) = i;
    advance(count, count);
    ++count;
  }
  for (std::size_t n = count; n < count + last; ++n) advance(n, count);
}

void walk(const event_list& events, bool (*wanted)(record), const auto& work) {
  const auto nothing = [](std::uint32_t) {};
  walk(events, wanted, nothing, nothing, work);
}

}  // namespace deed::viewer
