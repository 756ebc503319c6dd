// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  double x = *session.borrow(deed::read(b));
  std::cout << x;
}
