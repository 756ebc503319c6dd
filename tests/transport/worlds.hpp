// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>
#include <deed/transport/endpoint.hpp>
#include <deed/transport/inproc.hpp>
#include <deed/transport/sim.hpp>

#include <functional>
#include <string>
#include <thread>
#include <vector>

/// @file
/// One program on the ranks of any world that lives in one process.

namespace transport_test {

using deed::rank;
using program = std::function<void(rank, deed::transport::endpoint&, const deed::clock&)>;

enum class world { inproc, sim_by_time, sim_random };

inline std::string name_of(world kind) {
  switch (kind) {
    case world::inproc:
      return "inproc";
    case world::sim_by_time:
      return "sim_by_time";
    case world::sim_random:
      return "sim_random";
  }
  return "";
}

inline void run_inproc(int ranks, const program& run) {
  deed::transport::inproc_world made(ranks);
  const deed::real_clock time;
  std::vector<std::jthread> threads;
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] { run(rank{r}, made.at(rank{r}), time); });
  }
}

/// @return the hash of all events.
inline std::uint64_t run_sim(int ranks, const deed::transport::sim_options& options,
                             const program& run) {
  deed::transport::sim_world made(ranks, options);
  made.run([&](rank r, deed::transport::endpoint& end) { run(r, end, made.time(r)); });
  return made.event_hash();
}

inline void run_on(world kind, int ranks, const program& run, std::uint64_t seed = 1) {
  using deed::transport::sim_order;
  if (kind == world::inproc) return run_inproc(ranks, run);
  run_sim(
      ranks,
      {.seed = seed, .order = kind == world::sim_random ? sim_order::random : sim_order::by_time},
      run);
}

}  // namespace transport_test
