// SPDX-License-Identifier: MIT
#include "common.hpp"

deed::handle<double> make(deed::session& outer) { return outer.register_data(deed::owner{0}, 1.0); }

void program(const boost::mpi::communicator& world) {
  deed::session inner{world};
  auto made = make(inner);
  inner.insert_task(show, deed::read(made));
}
