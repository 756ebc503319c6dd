// SPDX-License-Identifier: MIT
#include "common.hpp"

void sum_on(deed::session& session, deed::handle<double>& a, deed::rank where) {
  session.insert_task(bump, deed::read_write(a), deed::on(where));
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  sum_on(session, a, deed::rank{session.size() - 1});
}
