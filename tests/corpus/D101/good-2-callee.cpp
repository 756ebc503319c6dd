// SPDX-License-Identifier: MIT
#include "common.hpp"

void look(deed::session& session, deed::handle<double>& lent) {
  session.insert_task(bump, deed::read_write(lent));
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  look(session, a);
  session.insert_task(show, deed::read(a));
}
