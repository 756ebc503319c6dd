// SPDX-License-Identifier: MIT
#include "common.hpp"

std::tuple<deed::handle<double>, deed::handle<double>> make(deed::session& session) {
  auto sum = session.register_data(deed::owner{0}, 0.0);
  auto part = session.register_data<double>(deed::owner{0}, deed::uninitialised);
  return {std::move(sum), std::move(part)};
}

void program(deed::session& session) {
  auto [sum, part] = make(session);
  session.insert_task(add, deed::read_write(sum), deed::read(part));
}
