// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 1.0, {.name = "b"});
  std::vector<int> chosen;
  for (int i = 0; i < 20; ++i)
    if (std::rand() % 2 == 0) chosen.push_back(i);
  for (const int one : chosen) session.insert_task(add, deed::read_write(a), deed::read(b));
}
