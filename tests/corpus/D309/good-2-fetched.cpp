// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  session.fetch(deed::read(b), deed::everywhere);
  std::cout << *session.borrow(deed::read(b));
}
