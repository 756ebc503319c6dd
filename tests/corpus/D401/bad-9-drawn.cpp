// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 1.0, {.name = "b"});
  std::vector<int> drawn;
  drawn.push_back(std::rand() % 2);
  if (drawn[0] == 0) session.insert_task(add, deed::read_write(a), deed::read(b));
}
