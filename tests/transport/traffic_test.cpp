// SPDX-License-Identifier: MIT
#include "random_traffic.hpp"
#include "recording_endpoint.hpp"
#include "worlds.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace transport_test {
namespace {

using deed::transport::fault_plan;
using deed::transport::inproc_world;
using deed::transport::sim_options;
using deed::transport::sim_order;
using deed::transport::sim_world;
using deed::transport::statistics;

sim_options unkind(std::uint64_t seed) {
  sim_options options{.seed = seed};
  options.order = seed % 2 == 0 ? sim_order::random : sim_order::by_time;
  if (seed % 3 == 0) {
    options.faults.delay_one_in = 3;
    options.faults.delay_up_to = std::chrono::microseconds{50};
  }
  if (seed % 5 == 0) {
    options.faults.stalls.push_back(
        {0, std::chrono::microseconds{2}, std::chrono::microseconds{90}});
  }
  return options;
}

TEST(random_traffic, arrives_on_virtual_ranks_in_any_order) {
  for (std::uint64_t seed = 1; seed <= 300 && !testing::Test::HasFailure(); ++seed) {
    const traffic_plan plan = draw_traffic(1 + static_cast<int>(seed % 5), seed, 60);
    run_sim(plan.ranks, unkind(seed),
            [&](rank, endpoint& end, const deed::clock& time) { run_traffic(plan, end, time); });
  }
}

TEST(random_traffic, arrives_on_threads) {
  for (std::uint64_t seed = 1; seed <= 60 && !testing::Test::HasFailure(); ++seed) {
    const traffic_plan plan = draw_traffic(1 + static_cast<int>(seed % 5), seed, 60);
    run_inproc(plan.ranks,
               [&](rank, endpoint& end, const deed::clock& time) { run_traffic(plan, end, time); });
  }
}

TEST(random_traffic, arrives_on_many_virtual_ranks) {
  const traffic_plan plan = draw_traffic(64, 9, 2000);
  run_sim(plan.ranks, unkind(4),
          [&](rank, endpoint& end, const deed::clock& time) { run_traffic(plan, end, time); });
}

/// A run as its ranks saw it, and the hash that stands for it.
struct recorded_run {
  std::vector<seen_event> events;
  std::uint64_t hash = 0;
};

recorded_run record(const traffic_plan& plan, const sim_options& options) {
  recorded_run run;
  run.hash = run_sim(plan.ranks, options, [&](rank, endpoint& end, const deed::clock& time) {
    recording_endpoint recorded(end, time, run.events);
    run_traffic(plan, recorded, time);
  });
  return run;
}

/// Frames come late and out of order, a rank stands still, the clocks of ranks differ.
sim_options with_faults(std::uint64_t seed) {
  sim_options options = unkind(2 * seed);  // In any order.
  options.faults =
      deed::transport::parse("delay 3 50000; stall 0 at 2000 for 90000; skew 1 by 7000");
  return options;
}

TEST(same_seed, gives_the_same_events_100_of_100_times) {
  const traffic_plan plan = draw_traffic(4, 12, 60);
  for (const auto& options :
       {sim_options{.seed = 1}, sim_options{.seed = 1, .order = sim_order::by_time}, with_faults(1),
        with_faults(2)}) {
    const recorded_run first = record(plan, options);
    EXPECT_GT(first.events.size(), 100u);
    for (int i = 0; i < 100; ++i) {
      const recorded_run again = record(plan, options);
      ASSERT_EQ(again.hash, first.hash) << "run " << i;
      ASSERT_EQ(again.events, first.events) << "run " << i;
    }
  }
}

TEST(another_seed, gives_another_order_and_another_hash) {
  const traffic_plan plan = draw_traffic(4, 12, 60);
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    hashes.insert(record(plan, {.seed = seed}).hash);
    hashes.insert(record(plan, with_faults(seed)).hash);
  }
  EXPECT_EQ(hashes.size(), 100u);
  EXPECT_NE(record(plan, {.seed = 1}).events, record(plan, {.seed = 2}).events);
}

TEST(same_seed, gives_the_same_end_of_a_run_with_a_killed_rank) {
  const auto run = [](std::vector<seen_event>& events) {
    sim_options options = with_faults(3);
    options.faults.kills.push_back({1, 20});
    return run_sim(3, options, [&](rank, endpoint& end, const deed::clock& time) {
      recording_endpoint recorded(end, time, events);
      member me(recorded, time, tiny());
      const int next = (me.self + 1) % 3, before = (me.self + 2) % 3;
      for (int i = 0; i < 20; ++i) {
        me.send(next, message(me.self, 1), pattern(i % 2 == 0 ? 10 : 3000, i));
        me.receive(before, message(before, 1));
      }
      me.until([&] { return !me.faults.empty(); });
      me.wire.close();
    });
  };
  std::vector<seen_event> first;
  const std::uint64_t hash = run(first);
  for (int i = 0; i < 100; ++i) {
    std::vector<seen_event> again;
    ASSERT_EQ(run(again), hash) << "run " << i;
    ASSERT_EQ(again, first) << "run " << i;
  }
}

/// Sum of what all ranks sent, and each pair's transfers.
struct totals {
  std::mutex mutex;
  deed::transport::traffic all;
  std::map<std::pair<int, int>, std::pair<std::uint64_t, std::uint64_t>> pairs, arrived;
  std::uint64_t to_itself = 0;

  void add(int self, const statistics& of) {
    const std::scoped_lock hold(mutex);
    all += of.total;
    for (const auto& [peer, sent, received] : of.peers) {
      if (sent.transfers > 0) pairs[{self, peer.value}] = {sent.transfers, sent.payload_bytes};
      if (received.transfers > 0) {
        arrived[{peer.value, self}] = {received.transfers, received.payload_bytes};
      }
      if (peer.value == self) to_itself += sent.transfers;
    }
  }
  void check(const traffic_plan& plan) const {
    EXPECT_EQ(pairs, arrived);
    EXPECT_LE(all.control_frames, control_bound(all, to_itself, plan.options, plan.ranks));
  }
};

TEST(counts, are_equal_on_threads_and_on_virtual_ranks) {
  for (std::uint64_t program = 1; program <= 20; ++program) {
    for (const int ranks : {2, 4, 8}) {
      const traffic_plan plan = draw_traffic(ranks, program, 80);
      totals threads, by_time, random;
      const auto count_in = [&](totals& into) {
        return [&plan, &into](rank self, endpoint& end, const deed::clock& time) {
          into.add(self.value, run_traffic(plan, end, time));
        };
      };
      run_inproc(ranks, count_in(threads));
      run_sim(ranks, {.seed = program, .order = sim_order::by_time}, count_in(by_time));
      run_sim(ranks, {.seed = program}, count_in(random));
      EXPECT_EQ(threads.pairs, by_time.pairs);
      EXPECT_EQ(threads.pairs, random.pairs);
      EXPECT_EQ(threads.all.data_frames, by_time.all.data_frames);
      EXPECT_EQ(threads.all.data_frames, random.all.data_frames);
      for (const totals* const of : {&threads, &by_time, &random}) of->check(plan);
    }
  }
}

TEST(credits, keep_memory_flat_under_ten_thousand_messages_nobody_waits_for) {
  constexpr int many = 10'000;
  for (const world kind : {world::inproc, world::sim_random}) {
    run_on(kind, 2, [&](rank, endpoint& end, const deed::clock& time) {
      engine_options options;
      options.unmatched_bytes = 100'000;
      member me(end, time, options);
      if (me.self == 0) {
        for (int i = 0; i < many; ++i) me.send(1, message(0, 1), pattern(1000, i));
        me.send(1, message(0, 2), pattern(8, 0));
      } else {
        me.receive(0, message(0, 2));  // It waits for the last one, so all others come before.
        me.until_done();
        const statistics now = me.wire.counts();
        EXPECT_LE(now.most_unmatched_bytes, 100'000u + 33 * 1000);
        EXPECT_EQ(me.wire.left_over().size(), static_cast<std::size_t>(many));
        for (int i = 0; i < many; ++i) me.receive(0, message(0, 1));
      }
      me.until_done();
      if (me.self == 1) {
        for (int i = 0; i < many; ++i) {
          ASSERT_EQ(me.receives[static_cast<std::size_t>(i) + 1].bytes, pattern(1000, i));
        }
      }
      me.wire.close();
    });
  }
}

TEST(credits, keep_memory_flat_where_the_first_of_each_message_is_expected) {
  constexpr int messages = 1000, behind = 9;
  for (const world kind : {world::inproc, world::sim_random}) {
    run_on(kind, 2, [&](rank, endpoint& end, const deed::clock& time) {
      engine_options options;
      options.unmatched_bytes = 100'000;
      member me(end, time, options);
      if (me.self == 0) {
        for (int i = 0; i < messages; ++i) {
          me.send(1, message(0, 3), pattern(300, i), false, true);
          for (int j = 0; j < behind; ++j) me.send(1, message(0, 1), pattern(300, i), false, true);
          me.wire.progress();
        }
        me.send(1, message(0, 2), pattern(8, 0));
      } else {
        for (int i = 0; i < messages; ++i) me.receive(0, message(0, 3));
        me.receive(0, message(0, 2));
        me.until_done();
        EXPECT_LE(me.wire.counts().most_unmatched_bytes, 100'000u + 33 * 4096);
        for (int i = 0; i < messages * behind; ++i) me.receive(0, message(0, 1));
      }
      me.until_done();
      if (me.self == 1) {
        for (int i = 0; i < messages * behind; ++i) {
          ASSERT_EQ(me.receives[static_cast<std::size_t>(messages + 1 + i)].bytes,
                    pattern(300, i / behind));
        }
      }
      me.wire.close();
    });
  }
}

TEST(window_of_one, does_not_hang_when_later_inputs_come_first) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    run_on(
        world::sim_random, 3,
        [](rank, endpoint& end, const deed::clock& time) {
          engine_options options = tiny();
          options.credits = 1;
          options.bulk_sends = options.bulk_receives = 1;
          member me(end, time, options);
          constexpr int inputs = 40;
          if (me.self != 0) {
            for (int i = inputs; i-- > 0;) {
              const auto tag = static_cast<std::uint64_t>(i);
              me.send(0, message(me.self, tag), pattern(i % 2 == 0 ? 100 : 3000, i));
            }
          } else {
            for (int i = 0; i < inputs; ++i) {  // One task at a time, in its own order.
              for (const int from : {1, 2}) {
                me.receive(from, message(from, static_cast<std::uint64_t>(i)));
              }
              me.until_done();
            }
          }
          me.until_done();
          me.wire.close();
        },
        seed);
  }
}

/// Sends and receives of several threads of a rank, and as many threads that make progress.
TEST(threads, may_submit_and_progress_at_the_same_time) {
  constexpr int threads = 3, each = 300;
  inproc_world made(2);
  const deed::real_clock time;
  std::vector<std::jthread> all;
  std::atomic<int> open{2 * threads};
  std::vector<std::unique_ptr<engine>> wires;
  for (int r = 0; r < 2; ++r) {
    engine_options options = tiny();
    options.credits = 8;
    wires.push_back(std::make_unique<engine>(made.at(rank{r}), options, time));
  }
  const auto work = [&](int self, int thread) {
    engine& wire = *wires[static_cast<std::size_t>(self)];
    std::deque<held_send> sends(each);
    std::deque<held_receive> receives(each);
    const auto tag = static_cast<std::uint64_t>(thread);
    for (int i = 0; i < each; ++i) {
      held_send& send = sends[static_cast<std::size_t>(i)];
      send.bytes = pattern(i % 7 == 0 ? 2500 : 40, i);
      send.operation.what = message(self, tag, send.bytes.size());
      send.operation.peer = rank{1 - self};
      send.operation.source = {send.bytes.data(), send.bytes.size()};
      send.operation.completed = held_send::completed;
      wire.send(send.operation);
      held_receive& receive = receives[static_cast<std::size_t>(i)];
      receive.operation.what = message(1 - self, tag);
      receive.operation.peer = rank{1 - self};
      receive.operation.destination = held_receive::room;
      receive.operation.completed = held_receive::completed;
      wire.receive(receive.operation);
    }
    const auto finished = [&] {
      return std::ranges::all_of(sends, [](const auto& at) { return at.done.load(); }) &&
             std::ranges::all_of(receives, [](const auto& at) { return at.done.load(); });
    };
    while (!finished()) {
      const std::uint64_t seen = wire.signals();
      if (!wire.progress() && !finished()) wire.rest(std::chrono::milliseconds{1}, seen);
    }
    for (int i = 0; i < each; ++i) {
      EXPECT_EQ(receives[static_cast<std::size_t>(i)].bytes, pattern(i % 7 == 0 ? 2500 : 40, i));
    }
    --open;
    while (open > 0) {  // The peer may still need this rank.
      const std::uint64_t seen = wire.signals();
      if (!wire.progress()) wire.rest(std::chrono::milliseconds{1}, seen);
    }
  };
  for (int r = 0; r < 2; ++r) {
    for (int t = 0; t < threads; ++t) all.emplace_back([&, r, t] { work(r, t); });
  }
  all.clear();
  for (int r = 0; r < 2; ++r) {
    all.emplace_back([&, r] { wires[static_cast<std::size_t>(r)]->close(); });
  }
  all.clear();
}

}  // namespace
}  // namespace transport_test
