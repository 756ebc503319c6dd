// SPDX-License-Identifier: MIT
#include "common.hpp"

extern "C" int MPI_Init(int*, char***);
extern "C" int MPI_Finalize();

void program(deed::session& session) {
  session.wait();
  MPI_Finalize();
}
