// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  std::optional<deed::handle<double>> out;
  out.emplace(session.register_data(deed::owner{0}, 0.0));
  auto b = session.register_data(deed::owner{0}, 1.0, {.name = "b"});
  session.insert_task(add, deed::read_write(a), deed::read(b));
  if (out) session.insert_task(bump, deed::read_write(*out));
}
