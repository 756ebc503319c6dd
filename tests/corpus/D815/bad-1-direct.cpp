// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(const boost::mpi::communicator& world) {
  static deed::session forever{world};
  std::cout << forever.rank();
}
