// SPDX-License-Identifier: MIT
#pragma once

#include <deed/deed.hpp>
#include <deed/transport/inproc.hpp>
#include <deed/transport/sim.hpp>

#include <functional>
#include <thread>
#include <vector>

/// @file
/// Sessions for tests: many ranks in this process.

namespace test {

/// Runs `program` on simulated ranks, in the order that `seed` chooses; 0: of virtual time.
/// Rethrows the first exception by rank.
inline void on_virtual_ranks(int ranks, const std::function<void(deed::session&)>& program,
                             std::uint64_t seed = 1, const deed::session_options& options = {}) {
  using std::chrono::nanoseconds;
  const auto order =
      seed == 0 ? deed::transport::sim_order::by_time : deed::transport::sim_order::random;
  deed::transport::sim_world world(ranks, {.seed = seed, .order = order});
  world.run([&](deed::rank self, deed::transport::endpoint& door) {
    deed::session joined(
        {.rank = self.value,
         .size = ranks,
         .door = &door,
         .time = &world.time(),
         .simulated = true,
         .shuffled = seed != 0,
         .seed = seed,
         .pass = [&world, self] { world.pass(self); },
         .spend = [&world, self](nanoseconds time) { world.spend(self, time); },
         .spend_until_news =
             seed != 0
                 ? std::function<nanoseconds(nanoseconds)>()
                 : [&world, self](nanoseconds time) { return world.spend_until_news(self, time); }},
        options);
    program(joined);
    joined.close();
  });
}

/// Runs `program` on ranks that are threads.
inline void on_threads(int ranks, const std::function<void(deed::session&)>& program,
                       const deed::session_options& options) {
  deed::transport::inproc_world world(ranks);
  const deed::real_clock time;
  std::vector<std::jthread> threads;
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      deed::session joined(
          {.rank = r, .size = ranks, .door = &world.at(deed::rank{r}), .time = &time}, options);
      program(joined);
      joined.close();
    });
  }
}
/// The same, with `workers` seats each.
inline void on_threads(int ranks, const std::function<void(deed::session&)>& program,
                       int workers = 2) {
  on_threads(ranks, program, deed::session_options{.workers = workers});
}

}  // namespace test
