// SPDX-License-Identifier: MIT
#include "common.hpp"

extern "C" int MPI_Init(int*, char***);

void begin(int argc, char** argv) { MPI_Init(&argc, &argv); }

void program(int argc, char** argv, const boost::mpi::communicator& world) {
  deed::session inner{world};
  begin(argc, argv);
  inner.wait();
}
