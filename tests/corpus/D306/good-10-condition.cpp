// SPDX-License-Identifier: MIT
#include "common.hpp"

// A borrow within a condition ends with it, whether it was made or not.
void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
  for (int i = 0; i < 4; ++i) {
    session.insert_task(bump, deed::read_write(x));
    if (session.owns(x) && *session.borrow(deed::read(x)) > 50) std::cout << "large";
  }
  session.wait();
  for (int i = 0; i < 4; ++i) {
    session.insert_task(bump, deed::read_write(x));
    session.fetch(deed::read(x), deed::everywhere);
    if (i > 2 && *session.borrow(deed::read(x)) > 50) break;
  }
  session.wait();
  session.fetch(deed::read(x), deed::everywhere);
  const double most = session.size() > 1 ? *session.borrow(deed::read(x)) : 0;
  session.insert_task(bump, deed::read_write(x));
  session.wait();
  std::cout << most;
}
