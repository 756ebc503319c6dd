// SPDX-License-Identifier: MIT
#include "common.hpp"

extern "C" int MPI_Init(int*, char***);
extern "C" int MPI_Finalize();

void program(deed::session& session) { session.wait(); }

void end(const boost::mpi::communicator& world) {
  {
    deed::session inner{world};
    program(inner);
  }
  MPI_Finalize();
}
