// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  const int rank = session.rank();
  const int size = session.size();
  std::vector<deed::handle<double>> parts;
  for (int i = 0; i < size; ++i) parts.push_back(session.register_data(deed::owner{i}, 1.0));
  session.gather(deed::read(std::span(parts.data(), size - rank)), deed::to{0});  // D606
}
