// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  if (rank == 1) std::cout << *session.borrow(deed::read(b));
}
