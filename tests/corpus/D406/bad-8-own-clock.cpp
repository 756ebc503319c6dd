// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 0.0, {.name = "x"});
  auto y = session.register_data(deed::owner{1}, 0.0, {.name = "y"});
  const auto begin = std::chrono::steady_clock::now();
  for (int steps = 0;;) {
    session.insert_task(add, deed::read_write(x), deed::read(y));
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    if (passed.count() > 0.001 || ++steps == 10) break;
  }
  session.wait();
}
