// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace deed::viewer {

/// What would be otherwise; 1 leaves a thing as it was.
struct changes {
  std::map<std::string, double> codelets;  ///< Their tasks take so many times as long.
  double bandwidth = 1;                    ///< So many times as many bytes per second.
  double latency = 1;            ///< Each transfer's fixed part takes so many times as long.
  bool endless_workers = false;  ///< No task waits for a worker.
};

/// The time that the run cannot be shorter than: each task begins when its worker has done what it
/// did before it, its values are written and, from other ranks, have arrived, and it was submitted;
/// nothing else takes time.
/// Cost: one pass over the tasks in the order in which they began.
[[nodiscard]] std::int64_t shortest_time(const model& of, const changes& wanted);

/// "at least 8.1 ms, without changes at least 10.2 ms: 79.4 %"; or why that is not known.
/// `unchanged`: the shortest time without changes, where that is known.
[[nodiscard]] std::string say_what_if(const model& of, const changes& wanted,
                                      std::optional<std::int64_t> unchanged = {});
/// What of the run that is said of, and what is not known of it.
[[nodiscard]] std::vector<std::string> caveats_of_what_if(const model& of);
inline constexpr const char* what_if_is_a_bound =
    "a bound: values and workers in the order of this run, no time for gates, scheduling, "
    "submission and shared networks";

/// As recorded, as the bound says of the run as it was, and with the changes.
[[nodiscard]] answer what_if(const model& of, const changes& wanted);

}  // namespace deed::viewer
