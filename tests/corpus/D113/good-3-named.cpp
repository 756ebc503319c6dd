// SPDX-License-Identifier: MIT
#include "common.hpp"

double make(const boost::mpi::communicator& world) {
  deed::session inner{world};
  auto made = inner.register_data(deed::per_rank, 1.0);
  inner.insert_task(bump, deed::read_write(made));
  return *inner.borrow(deed::read(made));
}
