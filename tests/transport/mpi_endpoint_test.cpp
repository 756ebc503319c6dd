// SPDX-License-Identifier: MIT
#include <deed/transport/mpi.hpp>

#include "around_table.hpp"
#include "engine_suite.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <vector>

namespace transport_test {
namespace {

using deed::transport::mpi_options;
using deed::transport::mpi_world;

/// The calls of MPI that a program of endpoints makes, which does not close.
template <class Program>
tracing_table::record calls_of(bool shares_memory, Program what) {
  const auto calls = std::make_shared<tracing_table::record>();
  mpi_world world(boost::mpi::communicator{}, std::make_unique<tracing_table>(calls),
                  mpi_options{.shares_memory = shares_memory});
  what(world.self());
  MPI_Barrier(MPI_COMM_WORLD);  // Nothing of deed's is under way.
  world.self().close(true);
  return *calls;
}

long messages_in(const tracing_table::record& calls) {
  return std::ranges::count(calls, "MPI_Isend", &tracing_table::record::value_type::first);
}

void run(void (*what)(endpoint&)) {
  for (const bool shares_memory : {true, false}) calls_of(shares_memory, what);
}

void run(void (*what)(endpoint&, const deed::clock&)) {
  const deed::real_clock time;
  for (const bool shares_memory : {true, true, false}) {
    mpi_world world(boost::mpi::communicator{}, nullptr, {.shares_memory = shares_memory});
    what(world.self(), time);
  }
}

/// Every rank sends so many frames to the next, before anybody looks for one.
void send_and_look(endpoint& end, int frames) {
  const int ranks = end.limits().ranks, next = (end.limits().self.value + 1) % ranks;
  const std::vector<std::byte> sent = pattern(100, 1);
  for (int i = 0; i < frames && ranks > 1; ++i) {
    end.send_frame(rank{next}, std::span(sent).first(64), {sent.data() + 64, sent.size() - 64});
  }
  MPI_Barrier(MPI_COMM_WORLD);
  listener all(end);
  const auto whole = [&] {
    return std::ranges::count(all.frames, sent, [](const auto& frame) { return frame.second; });
  };
  all.until([&] { return ranks == 1 || whole() == frames; });
}

TEST(mpi_endpoint, hands_small_frames_over_past_mpi_on_one_machine) {
  const auto ten = [](endpoint& end) { send_and_look(end, 10); };
  EXPECT_EQ(messages_in(calls_of(true, ten)), 0);
  EXPECT_EQ(messages_in(calls_of(false, ten)), boost::mpi::communicator{}.size() > 1 ? 10 : 0);
}
TEST(mpi_endpoint, leaves_to_mpi_what_a_neighbour_has_no_room_for) {
  const auto calls = calls_of(true, [](endpoint& end) { send_and_look(end, 1000); });
  EXPECT_EQ(messages_in(calls) > 0, boost::mpi::communicator{}.size() > 1);
}
TEST(mpi_endpoint, shares_no_memory_where_one_rank_does_not_want_it) {
  const bool wanted = boost::mpi::communicator{}.rank() != 0;
  const auto calls = calls_of(wanted, [](endpoint& end) { send_and_look(end, 10); });
  EXPECT_EQ(messages_in(calls), boost::mpi::communicator{}.size() > 1 ? 10 : 0);
}
TEST(mpi_endpoint, asks_mpi_after_each_sleep_also_where_the_last_frame_was_a_neighbours) {
  const auto calls = std::make_shared<tracing_table::record>();
  mpi_world world(boost::mpi::communicator{}, std::make_unique<tracing_table>(calls));
  endpoint& end = world.self();
  send_and_look(end, 10);
  std::array<deed::transport::event, 4> events;
  for (int i = 0; i < 12; ++i) {
    const std::size_t before = calls->size();
    end.rest(std::chrono::milliseconds{1}, end.signals());
    end.poll(events);
    EXPECT_GT(calls->size(), before) << "sleep " << i;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  end.close(true);
}
TEST(mpi_endpoint, delivers_every_frame_once_and_whole) { run(all_frames_arrive); }
TEST(mpi_endpoint, moves_bulk_in_the_order_of_its_tag) { run(bulk_arrives_in_order); }
TEST(mpi_endpoint, moves_strided_blocks) { run(strided_blocks_travel); }

TEST(engine_on_mpi, moves_transfers_of_all_sizes) { run(all_transfers_arrive_on_all_paths); }
TEST(engine_on_mpi, moves_transfers_with_the_default_options) {
  run([](endpoint& end, const deed::clock& time) { all_transfers_arrive(end, time, {}); });
}
TEST(engine_on_mpi, keeps_the_order_of_one_tag) { run(one_tag_keeps_its_order); }
TEST(engine_on_mpi, fails_both_ends_that_differ) { run(ends_that_differ_both_fail); }
TEST(engine_on_mpi, refuses_an_older_version) { run(an_older_version_is_refused); }
TEST(engine_on_mpi, carries_controls_in_order) { run(controls_arrive_in_order); }
TEST(engine_on_mpi, reduces) { run(reductions_agree); }
TEST(engine_on_mpi, compares_cards) { run(hello_names_the_odd_one); }
TEST(engine_on_mpi, proves_quiescence) { run(quiescence_is_proved); }
TEST(engine_on_mpi, lists_what_is_left_over) { run(left_over_is_listed); }

}  // namespace
}  // namespace transport_test
