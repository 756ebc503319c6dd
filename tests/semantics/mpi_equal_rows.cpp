// SPDX-License-Identifier: MIT
// What MPI's own collectives give, on the same ranks: rows R90, R101.
#include "worlds.hpp"
#include <boost/mpi/communicator.hpp>
#include <gtest/gtest.h>
#include <mpi.h>

#include <numeric>
#include <vector>

namespace {

using numbers = std::vector<int>;

numbers counted(int count, int first) {
  numbers all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

TEST(semantics_R90, a_gather_gives_what_MPI_Gather_gives) {
  semantics::run([](deed::session& session) {
    for (int root = 0; root < session.size(); ++root) {
      const numbers given = counted(5, 100 * session.rank());
      numbers wanted(session.rank() == root ? 5 * static_cast<std::size_t>(session.size()) : 0);
      MPI_Gather(given.data(), 5, MPI_INT, wanted.data(), 5, MPI_INT, root, MPI_COMM_WORLD);
      auto mine = session.register_data(deed::per_rank, given);
      auto all = session.register_data<numbers>(deed::owner{root}, deed::uninitialised);
      session.igather(deed::read(mine), deed::write(all), deed::to{root}).wait();
      if (session.rank() == root) {
        EXPECT_EQ(*session.borrow(deed::read(all)), wanted);
      }
    }
  });
}

TEST(semantics_R101, uneven_parts_give_what_MPI_Gatherv_gives) {
  semantics::run([](deed::session& session) {
    const int rank = session.rank(), size = session.size();
    const numbers given = counted(rank, 10 * rank);  // Rank 0 gives nothing.
    numbers counts(static_cast<std::size_t>(size)), places(counts.size());
    std::iota(counts.begin(), counts.end(), 0);
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    numbers wanted(rank == 0 ? static_cast<std::size_t>(size * (size - 1) / 2) : 0);
    MPI_Gatherv(given.data(), rank, MPI_INT, wanted.data(), counts.data(), places.data(), MPI_INT,
                0, MPI_COMM_WORLD);
    auto mine = session.register_data(deed::per_rank, given);
    auto all = session.register_data<numbers>(deed::owner{0}, deed::uninitialised);
    session.gather(deed::read(mine), deed::write(all), deed::to{0});
    if (rank == 0) {
      EXPECT_EQ(*session.borrow(deed::read(all)), wanted);
    }
  });
}

}  // namespace
