// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  const int size = session.size();
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  std::vector<deed::handle<double>> parts;
  for (int i = 0; i < size; ++i) parts.push_back(session.register_data(deed::owner{i}, 0.0));
  if (rank == 0) session.gather(deed::read(parts), deed::to{0});
}
