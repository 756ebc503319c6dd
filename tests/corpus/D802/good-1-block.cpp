// SPDX-License-Identifier: MIT
#include "common.hpp"

extern "C" int MPI_Init(int*, char***);
extern "C" int MPI_Finalize();

void program(const boost::mpi::communicator& world) {
  {
    deed::session inner{world};
    auto a = inner.register_data(deed::owner{0}, 1.0);
    inner.insert_task(bump, deed::read_write(a));
    inner.insert_task(show, deed::read(a));
  }
  MPI_Finalize();
}
