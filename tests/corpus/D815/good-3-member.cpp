// SPDX-License-Identifier: MIT
#include "common.hpp"

struct app {
  deed::session all;
};

void program(const boost::mpi::communicator& world) {
  app one{deed::session{world}};
  one.all.wait();
}
