// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

/// The `main` of tests that run on several ranks: the job fails if a test fails on any rank, or if
/// it runs on another number of ranks than was asked for.
int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  ::testing::InitGoogleTest(&argc, argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank != 0) {  // One rank lists the tests; a failure is printed by the rank that has it.
    ::testing::TestEventListeners& listeners = ::testing::UnitTest::GetInstance()->listeners();
    class failures_only : public ::testing::EmptyTestEventListener {
      void OnTestPartResult(const ::testing::TestPartResult& result) override {
        if (result.failed()) std::fprintf(stderr, "%s\n", result.message());
      }
    };
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new failures_only);
  }

  int failed = RUN_ALL_TESTS() == 0 ? 0 : 1;
  const char* const wanted = std::getenv("TEST_RANKS");
  if (wanted != nullptr && std::to_string(ranks) != wanted) {
    std::fprintf(stderr, "%d ranks, but TEST_RANKS=%s\n", ranks, wanted);
    failed = 1;
  }
  int any_failed = 0;
  MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any_failed;
}
