// SPDX-License-Identifier: MIT
#include <deed/base/undone.hpp>
#include <deed/transport/inproc.hpp>
#include <deed/transport/sim.hpp>

#include "worlds.hpp"
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

namespace semantics {
namespace {

#ifdef __SANITIZE_THREAD__
constexpr std::uint64_t seeds = 1;  // Virtual ranks take turns: it has nothing to see there.
#else
constexpr std::uint64_t seeds = 20;
#endif

void run_rank(const program& row, const deed::runtime::rank_environment& environment,
              const deed::session_options& options, const std::string& world) {
  deed::session joined(environment, options);
  try {
    row(joined);
    joined.close();
  } catch (const std::exception& thrown) {
    ADD_FAILURE() << world << ", rank " << environment.rank << ": " << thrown.what();
  }
}

void simulated(const program& row, int ranks, std::uint64_t seed,
               const deed::session_options& wanted) {
  deed::transport::sim_options options{.seed = seed};
  options.faults.delay_one_in = 3;
  options.faults.delay_up_to = std::chrono::microseconds(20);
  deed::transport::sim_world made(ranks, options);
  const std::string world = std::to_string(ranks) + " virtual ranks, seed " + std::to_string(seed);
  try {
    made.run([&](deed::rank self, deed::transport::endpoint& door) {
      run_rank(row,
               {.rank = self.value,
                .size = ranks,
                .door = &door,
                .time = &made.time(),
                .simulated = true,
                .seed = seed,
                .pass = [&made, self] { made.pass(self); },
                .spend = [&made, self](std::chrono::nanoseconds time) { made.spend(self, time); }},
               wanted, world);
    });
  } catch (const std::exception& thrown) {
    ADD_FAILURE() << world << " end with: " << thrown.what();
  }
}

void threads(const program& row, int ranks, const deed::session_options& wanted) {
  deed::transport::inproc_world made(ranks);
  const deed::real_clock time;
  std::vector<std::jthread> all;
  for (int r = 0; r < ranks; ++r) {
    all.emplace_back([&, r] {
      run_rank(row, {.rank = r, .size = ranks, .door = &made.at(deed::rank{r}), .time = &time},
               wanted, std::to_string(ranks) + " ranks as threads");
    });
  }
}

}  // namespace

int ranks_here(const deed::session& session) { return session.size(); }

void run(const program& row, int fewest, const deed::session_options& options) {
#ifdef DEED_PLANTED_BUGS
  const char* const left = std::getenv("UNDONE");  // By undone.py.
  if (left != nullptr) deed::undone_now = left;
#endif
  constexpr std::array sizes{1, 2, 3, 4, 8};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const int ranks = sizes[seed % sizes.size()];
    if (ranks >= fewest) simulated(row, ranks, seed, options);
    if (testing::Test::HasFailure()) return;  // One report is enough.
  }
  for (const int ranks : {1, 2, 4}) {
    deed::session_options wanted = options;
    wanted.workers = ranks == 2 ? 1 : 2;
    if (ranks >= fewest) threads(row, ranks, wanted);
  }
}

}  // namespace semantics
