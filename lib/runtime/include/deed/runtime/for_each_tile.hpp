// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/runtime/session.hpp>

#include <tuple>
#include <utility>

/// @file
/// `deed::for_each_tile`: one task per tile, where it concerns this rank.

namespace deed {

/// Inserts `task` for each pair of indices of `tiles`, with the arguments that `arguments_of(i, j)`
/// gives as a `std::tuple`; leaves out those of which this rank neither owns, runs nor passes on
/// anything, and records what they do. What decides that is what the task itself names, so nothing
/// can be forgotten, and a copy that becomes stale is known to be stale.
/// A step, of all ranks.
/// Cost: of a task that is left out, that of making its arguments and of one look at each.
/// @throws as `session.insert_task`.
///
/// @code{.cpp}
/// deed::for_each_tile(session, now.interior(), relax, [&](std::size_t i, std::size_t j) {
///   return std::tuple{deed::write(next(i, j)), deed::read(now(i, j)), deed::read(now(i - 1, j))};
/// });
/// @endcode
template <class Tiles, class... Bodies, class Arguments>
DEED_MODEL("submits")
void for_each_tile(session& home, const Tiles& tiles, const codelet<Bodies...>& task,
                   Arguments&& arguments_of) {
  for (auto&& [i, j] : tiles) {
    auto named = arguments_of(i, j);
    std::apply(
        [&](auto&... each) {
          if (home.relevant(each...)) home.insert_task(task, each...);
        },
        named);
  }
}

}  // namespace deed
