// SPDX-License-Identifier: MIT
#include "common.hpp"

void fill(deed::session& outer, std::vector<deed::handle<double>>& all) {
  all.push_back(outer.register_data(deed::owner{0}, 1.0));
}

void program(const boost::mpi::communicator& world) {
  deed::session inner{world};
  std::vector<deed::handle<double>> all;
  fill(inner, all);
  inner.insert_task(show, deed::read(all[0]));
}
