// SPDX-License-Identifier: MIT
#include "common.hpp"

double first_value() {
  std::ifstream in{"/dev/null"};
  double value = 0;
  while (in >> value) {
    if (value < 0) throw std::runtime_error("a negative number");
  }
  return value;
}

void program(deed::session& session) {
  const double value = session.rank() == 0 ? first_value() : 0;  // Where it throws, the job ends.
  auto a = session.register_data(deed::owner{0}, value, {.name = "a"});
  for (int step = 0; step < 10; ++step) session.insert_task(bump, deed::read_write(a));
}
