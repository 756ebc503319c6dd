// SPDX-License-Identifier: MIT
#include "engine_suite.hpp"
#include "recording_endpoint.hpp"
#include "worlds.hpp"
#include <gtest/gtest.h>

#include <atomic>

namespace transport_test {
namespace {

constexpr std::size_t bytes = std::size_t{1} << 16;

/// A rank that has failed closes its endpoint while the other goes on: of its memory, which may be
/// anyone's from then on, nothing is read or written any more.
class closing : public testing::TestWithParam<world> {
 protected:
  std::atomic<bool> posted{false}, closed{false};

  /// Turns, as a rank does that waits for news, until `enough`.
  template <class Enough>
  static void turn_until(endpoint& end, Enough enough) {
    std::array<event, 4> events;
    while (!enough()) {
      static_cast<void>(end.poll(events));
      end.rest(std::chrono::microseconds{50}, end.signals());
    }
  }
  static void turn(endpoint& end, int times) {
    turn_until(end, [&] { return times-- == 0; });
  }
};

TEST_P(closing, nothing_is_written_to_what_a_rank_had_received_into) {
  std::vector<std::byte> room(bytes);
  const auto source = pattern(bytes, 3);
  run_on(GetParam(), 2, [&](rank self, endpoint& end, const deed::clock&) {
    if (self.value == 1) {
      end.receive_bulk(rank{0}, 7, {.address = room.data(), .row_bytes = bytes}, 1);
      end.close(false);
      closed = true;
    } else {
      turn_until(end, [&] { return closed.load(); });
      end.send_bulk(rank{1}, 7, {source.data(), bytes}, 2);
      turn(end, 20);
    }
  });
  EXPECT_EQ(room, std::vector<std::byte>(bytes));
}

TEST_P(closing, nothing_is_read_of_what_a_rank_had_sent) {
  std::vector<std::byte> source(bytes), room(bytes);
  run_on(GetParam(), 2, [&](rank self, endpoint& end, const deed::clock&) {
    if (self.value == 1) {
      end.send_bulk(rank{0}, 7, {source.data(), bytes}, 1);
      end.close(false);
      std::ranges::fill(source, std::byte{0xff});
      closed = true;
    } else {
      turn_until(end, [&] { return closed.load(); });
      end.receive_bulk(rank{1}, 7, {.address = room.data(), .row_bytes = bytes}, 2);
      turn(end, 20);
    }
  });
  EXPECT_EQ(room, std::vector<std::byte>(bytes));
}

/// With both ends there, the bytes are under way, or were, when one rank closes.
TEST_P(closing, what_is_under_way_ends_before_or_never) {
  for (int round = 0; round < 200; ++round) {
    posted = closed = false;
    std::vector<std::byte> room(bytes), when_closed;
    const auto source = pattern(bytes, round);
    run_on(
        GetParam(), 2,
        [&](rank self, endpoint& end, const deed::clock&) {
          if (self.value == 1) {
            end.receive_bulk(rank{0}, 7, {.address = room.data(), .row_bytes = bytes}, 1);
            posted = true;
            turn(end, 1);
            end.close(false);
            when_closed = room;
            closed = true;
          } else {
            turn_until(end, [&] { return posted.load(); });
            end.send_bulk(rank{1}, 7, {source.data(), bytes}, 2);
            turn_until(end, [&] { return closed.load(); });
            turn(end, 20);
          }
        },
        static_cast<std::uint64_t>(round) + 1);
    ASSERT_EQ(room, when_closed);
  }
}

/// An exception destroys it, and nobody has closed it.
TEST_P(closing, an_engine_that_ends_lets_go) {
  run_on(GetParam(), 1, [&](rank, endpoint& end, const deed::clock& time) {
    std::vector<seen_event> events;
    recording_endpoint seen(end, time, events);
    {
      member me(seen, time);
      me.receive(0, {.tag = 7, .bytes = bytes});
    }
    EXPECT_EQ(seen.closed(), 1);
  });
}

TEST_P(closing, an_engine_that_was_closed_is_not_closed_again) {
  run_on(GetParam(), 2, [&](rank, endpoint& end, const deed::clock& time) {
    std::vector<seen_event> events;
    recording_endpoint seen(end, time, events);
    {
      member me(seen, time);
      me.wire.close();
      me.wire.abandon();
    }
    EXPECT_EQ(seen.closed(), 1);
  });
}

TEST_P(closing, an_engine_that_let_go_drops_what_comes_later) {
  run_on(GetParam(), 2, [&](rank self, endpoint& end, const deed::clock& time) {
    member me(end, time);
    me.wire.abandon();
    const int other = 1 - self.value;
    const held_receive& wanted = me.receive(other, {.tag = 7, .bytes = bytes});
    const held_send& given = me.send(other, {.tag = 7}, pattern(bytes, 3));
    me.wire.send_control(rank{other}, 1, {});
    EXPECT_FALSE(me.wire.progress());
    EXPECT_FALSE(wanted.done || given.done);
  });
}

INSTANTIATE_TEST_SUITE_P(worlds, closing,
                         testing::Values(world::inproc, world::sim_by_time, world::sim_random),
                         [](const auto& at) { return name_of(at.param); });

}  // namespace
}  // namespace transport_test
