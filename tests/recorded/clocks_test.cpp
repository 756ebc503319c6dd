// SPDX-License-Identifier: MIT
#include <deed/runtime/environment.hpp>
#include <deed/runtime/session.hpp>
#include <deed/transport/inproc.hpp>

#include "analysis/clock/measured_fit.hpp"
#include "tests/scratch_folder.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// Ranks with clocks of their own compare them when a session begins, once a minute, and when it
// ends.

namespace {

using namespace deed::viewer;

constexpr int ranks = 4;

using program = std::function<void(deed::session&, int rank)>;

void record_a_run(const std::string& path, const deed::clock& time, const program& runs) {
  deed::transport::inproc_world world(ranks);
  std::vector<std::jthread> threads;
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      const deed::runtime::rank_environment environment{
          .rank = r, .size = ranks, .door = &world.at(deed::rank{r}), .time = &time, .pass = {}};
      deed::session_options options;
      options.trace.path = path;
      deed::session session(environment, options);
      runs(session, r);
      session.close();
    });
  }
}

void record_a_run(const std::string& path) {
  record_a_run(path, deed::real_clock{}, [](deed::session& session, int) { session.barrier(); });
}

/// Stands still unless the test moves it: whoever waits for an answer has all patience.
class hands final : public deed::clock {
 public:
  [[nodiscard]] std::chrono::nanoseconds now() const noexcept override {
    return std::chrono::nanoseconds(now_.load());
  }
  void move(std::chrono::nanoseconds by) { now_ += by.count(); }

 private:
  std::atomic<std::int64_t> now_{0};
};

/// How many records each rank has of each of its measurements.
std::map<std::pair<int, std::uint64_t>, int> measurements_in(const run& read) {
  std::map<std::pair<int, std::uint64_t>, int> found;  // By rank and number.
  for (const event& e : read.events()) {
    if (e.what != record::clock_sync) continue;
    const int rank = read.rank_of(e);
    EXPECT_EQ(read.get(e, field::peer), static_cast<std::uint64_t>((rank - 1) / 2));
    ++found[{rank, read.get(e, field::round)}];
  }
  return found;
}

TEST(clocks, are_compared_at_the_start_and_at_the_end) {
  const scratch_folder folder;
  record_a_run(folder.path() + "/run.deed");
  const run read(folder.path() + "/run.deed");
  auto measurements = measurements_in(read);
  for (int rank = 1; rank < ranks; ++rank)
    for (const std::uint64_t number : {0u, 1u})
      EXPECT_GE((measurements[{rank, number}]), 1) << "rank " << rank << ", " << number;
  EXPECT_EQ(measurements.size(), 2u * (ranks - 1)) << "rank 0 is the measure";
}

TEST(clocks, are_compared_once_a_minute_in_waits) {
  constexpr int minutes = 5, waits_in_a_minute = 3;
  const scratch_folder folder;
  hands time;
  record_a_run(folder.path() + "/run.deed", time, [&](deed::session& session, int rank) {
    for (int i = 0; i < minutes * waits_in_a_minute; ++i) {
      session.barrier();  // Whoever measures in the last `wait()` has done so.
      if (rank == 0) time.move(std::chrono::seconds(60) / waits_in_a_minute);
      session.barrier();
      session.wait();
    }
  });
  const run read(folder.path() + "/run.deed");
  auto measurements = measurements_in(read);
  constexpr int with_start_and_end = minutes + 2;
  for (int rank = 1; rank < ranks; ++rank)
    for (std::uint64_t number = 0; number < with_start_and_end; ++number)
      EXPECT_GE((measurements[{rank, number}]), 1) << "rank " << rank << ", " << number;
  EXPECT_EQ(measurements.size(), static_cast<std::size_t>(with_start_and_end) * (ranks - 1));
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
