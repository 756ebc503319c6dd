// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/generate/event_log.hpp"

#include <cstdint>
#include <string>

namespace deed::viewer {

/// Steps 5, 6 and 7 of two ranks, of which the second takes twice as long from the begin on. In
/// the second half of each step one task runs.
inline void record_steps_apart(const std::string& path) {
  constexpr int app = event_log::application, worker = event_log::first_worker;
  event_log log(path, 2, 1, 1);
  for (int rank = 0; rank < 2; ++rank) {
    const std::uint64_t step = log.rank(rank).text("step");
    const std::int64_t takes = 10'000 * (rank + 1);
    for (std::int64_t i = 0; i < 3; ++i) {
      const auto number = static_cast<std::uint64_t>(i + 5), task = static_cast<std::uint64_t>(i);
      const std::int64_t begin = takes * (i + 1), end = begin + takes;
      log.add(begin, rank, app, record::phase_push, {step, number});
      log.add(begin + takes / 2, rank, worker, record::task_begin, {task, 0});
      log.add(end - 10, rank, worker, record::task_end, {task, 0});
      log.add(end, rank, app, record::phase_pop, {step, number});
    }
  }
  log.add(100'000, 0, worker, record::state, {2, 0, 0});
  log.add(100'000, 1, worker, record::state, {2, 0, 0});
  log.close();
}

}  // namespace deed::viewer
