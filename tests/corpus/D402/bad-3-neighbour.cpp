// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  const int size = session.size();
  std::vector<deed::handle<double>> parts;
  const int n = 8;
  for (int i = 0; i < n; ++i) parts.push_back(session.register_data(deed::owner{i % size}, 0.0));
  for (int i = 1; i < n; ++i) {
    if (session.owns(parts[i]))
      session.insert_task(add, deed::read_write(parts[i]), deed::read(parts[i - 1]));
  }
}
