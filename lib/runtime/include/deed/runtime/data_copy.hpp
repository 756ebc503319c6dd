// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/datum.hpp>
#include <deed/ownership/codelet.hpp>
#include <deed/runtime/task_description.hpp>

#include <algorithm>
#include <utility>

/// @file
/// From one datum to another: `session.copy(read(a), write(b))`.

namespace deed::runtime {

class core;

/// @throws deed::error D906 if two data that keep their extents have different ones.
void check_same_extents(core& home, const access_description& from, const access_description& to);

/// The body of a copy, by the type of the data.
template <class T>
struct data_copy {
  using traits = data::datum_traits<T>;
  using storage = typename traits::storage;
  using from_view = decltype(traits::read_view(std::declval<const storage&>()));
  using to_view = decltype(traits::write_view(std::declval<storage&>()));

  static constexpr codelet body{"copy", [](to_view to, from_view from) {
                                  if constexpr (!data::detail::is_block<storage>) {
                                    to = from;
                                  } else if constexpr (requires { from.rows(); }) {
                                    for (std::size_t i = 0; i < from.rows(); ++i)
                                      std::ranges::copy(from.row(i), to.row(i).begin());
                                  } else {
                                    std::ranges::copy(from, to.begin());
                                  }
                                }};
};

}  // namespace deed::runtime
