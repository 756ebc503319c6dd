// SPDX-License-Identifier: MIT
// What MPI's own collectives give, on the same ranks: rows R90, R101.
#include "worlds.hpp"
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

/// Before the session: MPI is initialised for one thread at a time, and a session has more.
struct plain_mpi {
  plain_mpi() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
  int rank = 0, size = 0;
};

TEST(semantics_R90, a_gather_gives_what_MPI_Gather_gives) {
  const plain_mpi world;
  const numbers given = counted(5, 100 * world.rank);
  std::vector<numbers> wanted;
  for (int root = 0; root < world.size; ++root) {
    wanted.emplace_back(world.rank == root ? 5 * static_cast<std::size_t>(world.size) : 0);
    MPI_Gather(given.data(), 5, MPI_INT, wanted.back().data(), 5, MPI_INT, root, MPI_COMM_WORLD);
  }
  semantics::run([&](deed::session& session) {
    for (int root = 0; root < session.size(); ++root) {
      auto mine = session.register_data(deed::per_rank, given);
      auto all = session.register_data<numbers>(deed::owner{root}, deed::uninitialised);
      session.igather(deed::read(mine), deed::write(all), deed::to{root}).wait();
      if (session.rank() == root) {
        EXPECT_EQ(*session.borrow(deed::read(all)), wanted[static_cast<std::size_t>(root)]);
      }
    }
  });
}

TEST(semantics_R101, uneven_parts_give_what_MPI_Gatherv_gives) {
  const plain_mpi world;
  const int rank = world.rank, size = world.size;
  const numbers given = counted(rank, 10 * rank);  // Rank 0 gives nothing.
  numbers counts(static_cast<std::size_t>(size)), places(counts.size());
  std::iota(counts.begin(), counts.end(), 0);
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  numbers wanted(rank == 0 ? static_cast<std::size_t>(size * (size - 1) / 2) : 0);
  MPI_Gatherv(given.data(), rank, MPI_INT, wanted.data(), counts.data(), places.data(), MPI_INT, 0,
              MPI_COMM_WORLD);
  semantics::run([&](deed::session& session) {
    auto mine = session.register_data(deed::per_rank, given);
    auto all = session.register_data<numbers>(deed::owner{0}, deed::uninitialised);
    session.gather(deed::read(mine), deed::write(all), deed::to{0});
    if (session.rank() == 0) {
      EXPECT_EQ(*session.borrow(deed::read(all)), wanted);
    }
  });
}

}  // namespace
