// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 1.0, {.name = "b"});
  std::vector<int> drawn, agreed;
  drawn.push_back(std::rand() % 2);
  for (const int one : drawn) agreed.push_back(session.any(one == 0));
  if (agreed[0] == 1) session.insert_task(add, deed::read_write(a), deed::read(b));
}
