// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>

namespace deed::viewer {

/// What was made cannot be put where it should be.
class unwritable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace deed::viewer
