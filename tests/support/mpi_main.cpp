// SPDX-License-Identifier: MIT
/// @file
/// Runs the tests of one process of an MPI job. Each rank runs all tests, in the same order.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

/// A test on fewer ranks than asked for would test nothing.
bool has_the_ranks_asked_for() {
  const char* const wanted = std::getenv("TEST_RANKS");
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (wanted == nullptr || std::to_string(ranks) == wanted) return true;
  std::fprintf(stderr, "%d ranks started, %s asked for\n", ranks, wanted);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  testing::InitGoogleTest(&argc, argv);
  int failed = has_the_ranks_asked_for() ? RUN_ALL_TESTS() : 1;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
