// SPDX-License-Identifier: MIT
#include "common.hpp"

void accumulate(deed::session& session, deed::handle<double>& to, deed::handle<double>& from) {
  session.insert_task(add, deed::read_write(to), deed::read(from));
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  accumulate(session, a, a);
}
