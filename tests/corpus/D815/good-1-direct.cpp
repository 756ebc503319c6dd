// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(const boost::mpi::communicator& world) {
  deed::session inner{world};
  std::cout << inner.rank();
}
