// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
  // deed-check: allow(D405) reason: the launcher hands the environment on
  if (std::getenv("SKIP_STEPS") != nullptr) return;
  for (int k = 0; k < 4; ++k) session.insert_task(bump, deed::read_write(x));
  session.wait();
}
