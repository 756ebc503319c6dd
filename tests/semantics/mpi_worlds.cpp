// SPDX-License-Identifier: MIT
#include "worlds.hpp"
#include <boost/mpi/communicator.hpp>
#include <gtest/gtest.h>
#include <mpi.h>

namespace semantics {

int ranks_here(const deed::session&) { return 1; }

void run(const program& row, int fewest, const deed::session_options& options) {
  const boost::mpi::communicator world(MPI_COMM_WORLD, boost::mpi::comm_attach);
  if (world.size() < fewest) return;
  deed::session_options wanted = options;
  wanted.workers = 2;
  deed::session joined(world, wanted);
  try {
    row(joined);
    joined.close();
  } catch (const std::exception& thrown) {
    ADD_FAILURE() << "rank " << world.rank() << ": " << thrown.what();
  }
}

}  // namespace semantics

TEST(semantics_R8, rank_and_size_are_those_of_mpi) {
  const boost::mpi::communicator world(MPI_COMM_WORLD, boost::mpi::comm_attach);
  semantics::run([&](deed::session& session) {
    EXPECT_EQ(session.rank(), world.rank());
    EXPECT_EQ(session.size(), world.size());
  });
}
