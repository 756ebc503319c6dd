// SPDX-License-Identifier: MIT
#pragma once

#include <deed/deed.hpp>

/// @file
/// Tasks and messages of every kind, with what they must bring.

namespace deed::doctor {

struct exercise_result {
  double hop_us = 0;      ///< A value of eight bytes from task to task, on the next rank each time.
  double large_gbps = 0;  ///< Gigabytes per second, a value of 16 MiB from rank 0 to the last rank.
  long tasks = 0;         ///< Of the stencil; every cell of it was as computed alone.
};

/// Collective. @throws deed::task_error if a task got another value than it should.
[[nodiscard]] exercise_result exercise(session& session);

}  // namespace deed::doctor
