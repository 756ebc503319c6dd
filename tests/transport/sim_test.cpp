// SPDX-License-Identifier: MIT
#include <deed/transport/sim.hpp>

#include "engine_suite.hpp"
#include "worlds.hpp"
#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>

namespace transport_test {
namespace {

using deed::transport::fault_plan;
using deed::transport::sim_options;
using deed::transport::sim_order;
using deed::transport::sim_world;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

constexpr nanoseconds for_ever = nanoseconds::max();

TEST(sim_world, finds_a_deadlock_exactly_and_ends_all_ranks) {
  sim_world made(3, {});
  int found = 0;
  made.on_deadlock([&] { ++found; });
  int resting = 0;
  try {
    made.run([&](rank r, endpoint& end) {
      made.spend(r, microseconds{10 * r.value});  // Late is not dead.
      ++resting;
      for (;;) end.rest(for_ever, end.signals());
    });
    FAIL() << "no deadlock was reported";
  } catch (const deed::error& thrown) {
    EXPECT_EQ(thrown.code(), error_code::circular_wait);
  }
  EXPECT_EQ(found, 1);
  EXPECT_EQ(resting, 3);
  EXPECT_EQ(made.time().now(), microseconds{20});
}

TEST(sim_world, lets_the_handler_of_a_deadlock_wake_a_rank) {
  sim_world made(2, {});
  endpoint* first = nullptr;
  made.on_deadlock([&] { first->wake(); });
  made.run([&](rank r, endpoint& end) {
    if (r.value == 0) first = &end;
    if (r.value == 0) end.rest(for_ever, end.signals());
  });
}

TEST(sim_world, rethrows_what_a_rank_threw_rather_than_the_deadlock_it_caused) {
  sim_world made(3, {});
  EXPECT_THROW(made.run([&](rank r, endpoint& end) {
    if (r.value == 2) throw std::out_of_range("rank 2");
    for (;;) end.rest(for_ever, end.signals());
  }),
               std::out_of_range);
}

TEST(sim_world, does_not_hang_on_a_program_that_spins) {
  sim_world made(2, {});
  made.run([&](rank r, endpoint& end) {
    std::array<event, 4> events;
    const std::array<std::byte, 1> one{};
    if (r.value == 0) end.send_frame(rank{1}, one, {});
    while (r.value == 1 && end.poll(events) == 0) {
    }
  });
}

/// Rings of frames, among them one rank that throws and catches while others run.
std::uint64_t hash_of_a_run(deed::transport::sim_carriers carrier, std::uint64_t seed) {
  constexpr int ranks = 7;
  sim_world made(ranks, {.seed = seed, .carrier = carrier});
  made.run([&](rank r, endpoint& end) {
    std::array<event, 4> events;
    const std::array<std::byte, 24> bytes{};
    int seen = 0;
    for (int round = 0; round < 20; ++round) {
      end.send_frame(rank{(r.value + 1) % ranks}, bytes, {});
      while (seen <= round) {
        end.rest(microseconds{3}, end.signals());
        seen += static_cast<int>(end.poll(events));
      }
      try {
        throw r.value;
      } catch (int thrown) {
        made.pass(r);  // Others throw and catch meanwhile.
        EXPECT_EQ(thrown, r.value);
        EXPECT_TRUE(std::current_exception() != nullptr);
      }
      EXPECT_TRUE(std::current_exception() == nullptr);
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    }
  });
  return made.event_hash();
}

TEST(sim_world, does_the_same_on_threads_and_on_fibers) {
  using enum deed::transport::sim_carriers;
  for (const std::uint64_t seed : {1u, 2u, 3u})
    EXPECT_EQ(hash_of_a_run(threads, seed), hash_of_a_run(fibers, seed));
  EXPECT_NE(hash_of_a_run(fibers, 1), hash_of_a_run(fibers, 2));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int very_many = 200;  // They are threads there.
#else
constexpr int very_many = 10'000;
#endif

TEST(sim_world, runs_ten_thousand_ranks_as_fibers) {
  constexpr int ranks = very_many;
  sim_world made(ranks, {});
  int ended = 0;
  made.run([&](rank r, endpoint& end) {
    std::array<event, 4> events;
    const std::array<std::byte, 1> one{};
    if (r.value + 1 < ranks) end.send_frame(rank{r.value + 1}, one, {});
    while (r.value > 0 && end.poll(events) == 0) end.rest(for_ever, end.signals());
    ++ended;
  });
  EXPECT_EQ(ended, ranks);
}

TEST(sim_clock, follows_loggp) {
  sim_options options{.order = sim_order::by_time};
  options.network = {.latency = nanoseconds{1000},
                     .overhead = nanoseconds{100},
                     .gap = nanoseconds{0},
                     .picoseconds_per_byte = 1000};
  sim_world made(2, options);
  made.run([&](rank r, endpoint& end) {
    std::array<event, 4> events;
    const std::array<std::byte, 64> bytes{};
    if (r.value == 0) return end.send_frame(rank{1}, bytes, {});
    end.rest(for_ever, end.signals());
    EXPECT_EQ(end.poll(events), 1u);
    EXPECT_EQ(made.time().now(), nanoseconds{1000 + 2 * 100 + 64});
  });
}

TEST(sim_clock, is_skewed_for_the_ranks_that_the_plan_names) {
  sim_options options;
  options.faults.skews.push_back({1, microseconds{5}});
  sim_world made(2, options);
  EXPECT_EQ(made.time(rank{1}).now() - made.time(rank{0}).now(), microseconds{5});
}

TEST(fault_plan, is_text) {
  const std::string text =
      "delay 4 5000; stall 2 at 100 for 200; kill 1 after 7; skew 0 by -5; damage 17; drop 9; fail "
      "3";
  EXPECT_EQ(to_string(deed::transport::parse(text)), text);
  EXPECT_EQ(to_string(deed::transport::parse("")), "");
  for (const char* const bad :
       {"explode 1", "kill x", "delay 1", "damage 1 2", "stall 1 at 2", "kill -1 after 3",
        "skew 4294967297 by 2", "damage 0", "drop 0", "fail 0", "delay 0 5", "delay 2 -5",
        "damage -3", "damage 1.5", "kill 1 before 3", "kill 1 after -3", "stall 1 in 2 for 3"}) {
    EXPECT_THROW((void)deed::transport::parse(bad), deed::error) << bad;
  }
}

/// A member that waits until nothing more can come, and says what it saw.
void wait_with_limit(member& me, const std::function<bool()>& enough) {
  for (int i = 0; i < 200 && !enough(); ++i) {
    if (!me.wire.progress()) me.wire.rest(std::chrono::milliseconds{1});
  }
}

TEST(fault, a_killed_rank_is_reported_and_fails_what_concerns_it) {
  for (std::uint64_t after = 0; after < 12; ++after) {
    sim_options options{.seed = after + 1};
    options.faults.kills.push_back({1, after});
    run_sim(3, options, [](rank, endpoint& end, const deed::clock& time) {
      member me(end, time, tiny());
      const int next = (me.self + 1) % 3, before = (me.self + 2) % 3;
      for (int i = 0; i < 6; ++i) {
        me.send(next, message(me.self, 1), pattern(i % 2 == 0 ? 10 : 3000, i), true);
        me.receive(before, message(before, 1));
      }
      me.until([&] { return !me.faults.empty(); });
      EXPECT_EQ(code_of(me.faults[0]), error_code::peer_lost);
      me.until_done();
      const auto lost_or_well = [](const auto& at, int peer) {
        const auto code = code_of(at.error);
        return !code ||
               (peer == 1 && (*code == error_code::peer_lost || *code == error_code::mpi_failed));
      };
      for (const auto& at : me.sends) EXPECT_TRUE(lost_or_well(at, next));
      for (const auto& at : me.receives) EXPECT_TRUE(lost_or_well(at, before));
      me.wire.close();
    });
  }
}

TEST(fault, a_damaged_frame_is_reported_and_never_believed) {
  for (std::uint64_t frame = 1; frame <= 30; ++frame) {
    sim_options options{.seed = frame};
    options.faults.damaged_frames.push_back(frame);
    int reported = 0;
    run_sim(2, options, [&](rank, endpoint& end, const deed::clock& time) {
      engine_options checked = tiny();
      checked.checksums = true;
      member me(end, time, checked);
      const int other = 1 - me.self;
      for (int i = 0; i < 10; ++i) {
        me.send(other, message(me.self, 1), pattern(i % 3 == 0 ? 3000 : 100, i));
        me.receive(other, message(other, 1));
      }
      wait_with_limit(me, [] { return false; });
      int i = 0;
      for (const auto& at : me.receives) {
        if (at.done && !at.error) {
          EXPECT_EQ(at.bytes, pattern(i % 3 == 0 ? 3000 : 100, i));
        }
        if (at.error) {
          EXPECT_EQ(code_of(at.error), error_code::message_damaged);
          ++reported;
        }
        ++i;
      }
      for (const auto& at : me.faults) {
        EXPECT_EQ(code_of(at), error_code::message_damaged);
        ++reported;
      }
    });
    EXPECT_EQ(reported, 1) << "frame " << frame;
  }
}

TEST(fault, a_failed_bulk_transfer_fails_both_ends) {
  sim_options options;
  options.faults.failed_bulk.push_back(2);
  run_sim(2, options, [](rank, endpoint& end, const deed::clock& time) {
    member me(end, time, tiny());
    if (me.self == 0) me.send(1, message(0, 1), pattern(6000, 1));
    if (me.self == 1) me.receive(0, message(0, 1));
    wait_with_limit(me,
                    [&] { return (me.self == 0 ? me.sends[0].done : me.receives[0].done).load(); });
    EXPECT_EQ(code_of(me.self == 0 ? me.sends[0].error : me.receives[0].error),
              error_code::mpi_failed);
  });
}

TEST(fault, a_dropped_frame_is_reported_where_it_was_sent) {
  sim_options options;
  options.faults.dropped_frames.push_back(1);
  run_sim(2, options, [](rank, endpoint& end, const deed::clock& time) {
    member me(end, time);
    if (me.self == 0) me.send(1, message(0, 1), pattern(10, 1));
    wait_with_limit(me, [] { return false; });
    EXPECT_EQ(me.faults.size(), me.self == 0 ? 1u : 0u);
  });
}

}  // namespace
}  // namespace transport_test
