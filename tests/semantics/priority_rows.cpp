// SPDX-License-Identifier: MIT
// What is urgent goes first: row N5.
#include <deed/transport/sim.hpp>

#include "worlds.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <vector>

namespace {

using semantics::reports_of;
using semantics::run;

constexpr int most_ranks = 64, queued = 100;
std::array<std::atomic<int>, most_ranks> turns;  // Codelets hold nothing.

constexpr deed::codelet take_turn{
    "take_turn", [](int& turn, int rank) { turn = turns[static_cast<std::size_t>(rank)]++; }};

/// When each of many tasks ran that became ready together; the last but one is urgent, the last of
/// low priority comes before all others in the program.
struct turns_taken {
  std::vector<int> usual;
  int urgent = -1, low = -1;
};
turns_taken all_at_once(deed::session& session) {
  const int rank = session.rank();
  turns[static_cast<std::size_t>(rank)] = 0;
  std::vector<deed::handle<int>> data;
  for (int i = 0; i < queued + 2; ++i) data.push_back(session.register_data(deed::per_rank, -1));
  auto start = session.make_gate("start");
  const auto insert = [&](int i, deed::priority how) {
    session.insert_task(take_turn, deed::read_write(data[static_cast<std::size_t>(i)]),
                        deed::value(rank), how, deed::behind(start));
  };
  insert(queued + 1, deed::priority{-5});
  for (int i = 0; i < queued; ++i) insert(i, deed::priority{0});
  insert(queued, deed::priority{9});
  start.open();
  session.wait();
  turns_taken result;
  for (int i = 0; i < queued; ++i)
    result.usual.push_back(*session.borrow(deed::read(data[static_cast<std::size_t>(i)])));
  result.urgent = *session.borrow(deed::read(data[queued]));
  result.low = *session.borrow(deed::read(data[queued + 1]));
  return result;
}

TEST(semantics_N5, an_urgent_task_passes_those_that_wait_and_none_starves) {
  run([](deed::session& session) {
    const turns_taken seen = all_at_once(session);
    EXPECT_GE(seen.urgent, 0) << "workers may have begun before it was ready";
    EXPECT_GE(seen.low, 0) << "it ran";
    for (const int turn : seen.usual) EXPECT_GE(turn, 0);
  });
  const std::string said = reports_of(
      [](deed::session& session) {
        const turns_taken seen = all_at_once(session);
        EXPECT_EQ(seen.urgent, 0) << "of all that were ready";
        EXPECT_EQ(seen.low, queued + 1);
      },
      1);
  EXPECT_EQ(said, "");
}

/// When the last of many messages, of this priority, arrives.
std::ptrdiff_t arrival_of_last(int how, std::uint64_t seed) {
  deed::transport::sim_world world(2, {.seed = seed, .order = deed::transport::sim_order::by_time});
  std::vector<int> order;
  world.run([&](deed::rank self, deed::transport::endpoint& door) {
    deed::session session({.rank = self.value,
                           .size = 2,
                           .door = &door,
                           .time = &world.time(),
                           .simulated = true,
                           .seed = seed,
                           .pass = [&world, self] { world.pass(self); }});
    std::vector<deed::handle<std::vector<double>>> data;
    const std::vector<double> large(1 << 15, 1.0);
    for (int i = 0; i <= queued; ++i) data.push_back(session.register_data(deed::per_rank, large));
    for (int i = 0; i <= queued; ++i) {
      auto& each = data[static_cast<std::size_t>(i)];
      if (self.value == 0) {
        session.send(deed::read(each), deed::to{1}, deed::message_tag{i},
                     deed::priority{i == queued ? how : 0});
      } else {
        session.receive(deed::write(each), deed::from{0}, deed::message_tag{i},
                        deed::when_done([&order, i] { order.push_back(i); }));
      }
    }
    session.wait();
    session.close();
  });
  EXPECT_EQ(order.size(), static_cast<std::size_t>(queued) + 1) << "none starves";
  return std::ranges::find(order, queued) - order.begin();
}

TEST(semantics_N5, an_urgent_message_passes_those_that_are_queued) {
  constexpr int at_once = 24;  // Large transfers, from the first on.
  int was_queued = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    if (arrival_of_last(0, seed) <= at_once) continue;
    ++was_queued;
    EXPECT_LE(arrival_of_last(1, seed), at_once) << "seed " << seed;
    EXPECT_EQ(arrival_of_last(-1, seed), queued) << "seed " << seed;
  }
  EXPECT_GT(was_queued, 3);
}

}  // namespace
