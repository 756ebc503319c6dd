// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& b) {
  const int rank = session.rank();
  if (rank == 0) {
    auto view = session.borrow(deed::read(b));  // D309
    std::cout << *view;
  }
}
