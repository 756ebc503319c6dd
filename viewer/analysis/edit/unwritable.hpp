// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

/// @file
/// Where nothing can, or may, be written. A recording cannot be made again: only `repair` and
/// `pack` change one, `collect` adds ranks, and notes lie beside it.

namespace deed::viewer {

/// What was made cannot be put where it should be.
class unwritable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// @throws unwritable if `place` lies in a recorded run.
void refuse_inside_of_run(const std::string& place);
/// @throws unwritable if `place` is a recorded run or lies in one.
void refuse_recorded(const std::string& place);
/// @throws unwritable if a process of this machine still records a rank of the run.
void refuse_while_recorded(const std::string& run);

}  // namespace deed::viewer
