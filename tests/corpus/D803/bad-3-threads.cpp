// SPDX-License-Identifier: MIT
#include "common.hpp"

extern "C" int MPI_Init_thread(int*, char***, int, int*);

int program(int argc, char** argv, const boost::mpi::communicator& world) {
  int given = 0;
  deed::session inner{world};
  if (argc > 1) MPI_Init_thread(&argc, &argv, 3, &given);
  inner.wait();
  return given;
}
