// SPDX-License-Identifier: MIT
#pragma once

#include "flow/control.hpp"
#include "flow/function.hpp"

#include <string>
#include <vector>

/// @file
/// Indices into views that leave them for certain: constants, extents, and loops that go too far.

namespace deed::check {

struct out_of_bounds {
  const event* at = nullptr;
  path view;
  std::string what;  // "index 4 of an extent of 4"
  span because;      // the condition of the loop
  bool below = false;
};

[[nodiscard]] std::vector<out_of_bounds> indices_out_of_bounds(const program& all,
                                                               const function& f,
                                                               const control& decisions);

}  // namespace deed::check
