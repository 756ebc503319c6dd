// SPDX-License-Identifier: MIT
#include "common.hpp"

extern "C" int MPI_Init(int*, char***);
extern "C" int MPI_Finalize();

void work(const boost::mpi::communicator& world) {
  deed::session inner{world};
  inner.wait();
}

void program(const boost::mpi::communicator& world) {
  work(world);
  MPI_Finalize();
}
