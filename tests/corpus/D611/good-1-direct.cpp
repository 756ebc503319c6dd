// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.migrate(a, deed::owner{1});
  if (session.owns(a)) std::cout << *session.borrow(deed::read(a));
}
