// SPDX-License-Identifier: MIT
#include "common.hpp"

// A tag is free again when its datum has ended.
void program(deed::session& session) {
  const deed::tag reused{77};
  for (int round = 0; round < 3; ++round) {
    auto x = session.register_data(deed::owner{0}, 1.0, {.tag = reused, .name = "x"});
    session.insert_task(show, deed::read(x));
    session.wait();
  }
}
