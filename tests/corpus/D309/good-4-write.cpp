// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  if (session.owns(a)) {
    auto view = session.borrow(deed::write(a));
    *view = 5;
  }
  session.wait();
}
