// SPDX-License-Identifier: MIT
#include "common.hpp"

// What a function returns in an object is followed to where it is used.
struct fields {
  deed::handle<double> pressure, velocity;
};

fields make(deed::session& session) {
  return {session.register_data<double>(deed::owner{0}, deed::uninitialised),
          session.register_data(deed::owner{0}, 1.0)};
}

void program(deed::session& session) {
  auto now = make(session);
  session.insert_task(add, deed::read_write(now.velocity), deed::read(now.pressure));
}
