// SPDX-License-Identifier: MIT
#include "common.hpp"

deed::handle<double> first(deed::session& session) {
  return session.register_data(deed::owner{0}, 1.0);
}

void program(const boost::mpi::communicator& world) {
  deed::session inner{world};
  auto made = first(inner);
  inner.insert_task(show, deed::read(made));
}
