// SPDX-License-Identifier: MIT
#include <deed/transport/mpi.hpp>

#include "engine_suite.hpp"
#include <gtest/gtest.h>

namespace transport_test {
namespace {

/// Runs a program of the endpoint suite, which does not close.
void run(void (*what)(endpoint&)) {
  deed::transport::mpi_world world{boost::mpi::communicator{}};
  what(world.self());
  MPI_Barrier(MPI_COMM_WORLD);  // Nothing of deed's is under way.
  world.self().close(true);
}

void run(void (*what)(endpoint&, const deed::clock&)) {
  const deed::real_clock time;
  for (int i = 0; i < 3; ++i) {
    deed::transport::mpi_world world{boost::mpi::communicator{}};
    what(world.self(), time);
  }
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
