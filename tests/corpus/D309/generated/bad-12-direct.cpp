// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  if (rank == 0) {
    auto view = session.borrow(deed::read(b));  // D309
    std::cout << *view;
  }
}
