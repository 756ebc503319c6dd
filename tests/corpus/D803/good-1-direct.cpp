// SPDX-License-Identifier: MIT
#include "common.hpp"

extern "C" int MPI_Init(int*, char***);
extern "C" int MPI_Finalize();

void program(int argc, char** argv, const boost::mpi::communicator& world) {
  MPI_Init(&argc, &argv);
  deed::session inner{world};
  inner.wait();
}
