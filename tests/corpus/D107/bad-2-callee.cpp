// SPDX-License-Identifier: MIT
#include "common.hpp"

void prepare(deed::session& session, std::vector<deed::handle<double>>& into) {
  if (session.rank() > 0) into.push_back(session.register_data(deed::per_rank, 0.0));
}

void program(deed::session& session) {
  std::vector<deed::handle<double>> parts;
  prepare(session, parts);
  auto grid = session.register_data(deed::owner{0}, 0.0, {.name = "grid"});
}
