// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto block = session.register_data(deed::owner{0}, 0.0);
  for (int i = 0; i < 8; ++i) {
    session.insert_task(bump, deed::read_write(block));
    block = session.register_data(deed::owner{0}, 0.0);
  }
}
