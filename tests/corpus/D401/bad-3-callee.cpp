// SPDX-License-Identifier: MIT
#include "common.hpp"

bool is_root(deed::session& session) { return session.rank() == 0; }
void combine(deed::session& session, deed::handle<double>& to, deed::handle<double>& from) {
  session.insert_task(add, deed::read_write(to), deed::read(from));
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  if (is_root(session)) combine(session, a, b);
}
