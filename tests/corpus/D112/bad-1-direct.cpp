// SPDX-License-Identifier: MIT
#include "common.hpp"

void couple(deed::session& fluid, deed::session& solid) {
  auto pressure = fluid.register_data(deed::owner{0}, 1.0);
  solid.insert_task(show, deed::read(pressure));
}
