// SPDX-License-Identifier: MIT
#include "common.hpp"

const boost::mpi::communicator& world();

struct app {
  static deed::session all;
};
deed::session app::all{world()};

void program() { app::all.wait(); }
