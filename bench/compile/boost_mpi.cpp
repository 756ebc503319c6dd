// SPDX-License-Identifier: MIT
#include <boost/mpi.hpp>

int main(int argc, char** argv) {
  boost::mpi::environment environment(argc, argv);
  return boost::mpi::communicator().rank();
}
