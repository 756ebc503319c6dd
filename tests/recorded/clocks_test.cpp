// SPDX-License-Identifier: MIT
#include <deed/runtime/environment.hpp>
#include <deed/runtime/session.hpp>
#include <deed/transport/inproc.hpp>

#include "analysis/clock/measured_fit.hpp"
#include "tests/scratch_folder.hpp"
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// Ranks with clocks of their own compare them when a session begins and when it ends.

namespace {

using namespace deed::viewer;

constexpr int ranks = 4;

void record_a_run(const std::string& path) {
  deed::transport::inproc_world world(ranks);
  const deed::real_clock time;
  std::vector<std::jthread> threads;
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      const deed::runtime::rank_environment environment{
          .rank = r, .size = ranks, .door = &world.at(deed::rank{r}), .time = &time, .pass = {}};
      deed::session_options options;
      options.trace.path = path;
      deed::session session(environment, options);
      session.barrier();
      session.close();
    });
  }
}

TEST(clocks, are_compared_at_the_start_and_at_the_end) {
  const scratch_folder folder;
  record_a_run(folder.path() + "/run.deed");
  const run read(folder.path() + "/run.deed");
  std::map<std::pair<int, std::uint64_t>, int> measurements;  // By rank and number.
  for (const event& e : read.events()) {
    if (e.what != record::clock_sync) continue;
    const int rank = read.rank_of(e);
    EXPECT_EQ(read.get(e, field::peer), static_cast<std::uint64_t>((rank - 1) / 2));
    ++measurements[{rank, read.get(e, field::round)}];
  }
  for (int rank = 1; rank < ranks; ++rank)
    for (const std::uint64_t number : {0u, 1u})
      EXPECT_GE((measurements[{rank, number}]), 1) << "rank " << rank << ", " << number;
  EXPECT_EQ(measurements.size(), 2u * (ranks - 1)) << "rank 0 is the measure";
}

/// Threads of one process read one counter: what lies between their clocks is known exactly, and
/// what they measured has to hold it.
TEST(clocks, are_measured_within_the_error_that_is_told) {
  const scratch_folder folder;
  record_a_run(folder.path() + "/run.deed");
  const run read(folder.path() + "/run.deed");
  std::map<int, double> ahead_of_first{{0, 0.0}};
  std::vector<clock_edge> measured;
  for (const clock_edge& each : measured_edges(read)) {
    if (each.error == 0)
      ahead_of_first[each.high] = each.ahead;
    else
      measured.push_back(each);
  }
  ASSERT_EQ(ahead_of_first.size(), static_cast<std::size_t>(ranks));
  ASSERT_EQ(measured.size(), static_cast<std::size_t>(ranks - 1));
  for (const clock_edge& each : measured) {
    const double known = ahead_of_first[each.high] - ahead_of_first[each.low];
    EXPECT_LE(std::abs(each.ahead - known), each.error + 50)
        << "ranks " << each.low << " and " << each.high << ", in nanoseconds";
  }
}

}  // namespace
