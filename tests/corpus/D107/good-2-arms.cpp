// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  std::vector<deed::handle<double>> parts;
  if (rank == 0) {
    parts.push_back(session.register_data(deed::per_rank, 1.0));
  } else {
    parts.push_back(session.register_data(deed::per_rank, 2.0));
  }
}
