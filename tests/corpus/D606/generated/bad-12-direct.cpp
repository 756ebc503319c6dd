// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  const int size = session.size();
  std::vector<deed::handle<double>> parts;
  for (int i = 0; i < size; ++i) parts.push_back(session.register_data(deed::owner{i}, 1.0));
  const std::size_t count = rank == 0 ? parts.size() : 1;
  session.scatter(deed::write(std::span{parts}.subspan(0, count)), deed::from{0});  // D606
}
