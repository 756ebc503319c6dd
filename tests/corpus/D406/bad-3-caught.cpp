// SPDX-License-Identifier: MIT
#include "common.hpp"

int steps_wanted() {
  std::ifstream in{"in.dat"};
  if (!in.is_open()) throw std::runtime_error("no input");
  return 10;
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  int steps = 0;
  try {
    steps = steps_wanted();
  } catch (const std::runtime_error&) {
    std::cout << "no input\n";
  }
  for (int step = 0; step < steps; ++step) session.insert_task(bump, deed::read_write(a));
}
