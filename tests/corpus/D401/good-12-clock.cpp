// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto shared = session.register_data(deed::owner{0}, 1.0, {.name = "shared"});
  for (int i = 0; i < 40; ++i) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    if (now % 2 == 0) std::cout << now;
    session.insert_task(bump, deed::read_write(shared));
  }
}
