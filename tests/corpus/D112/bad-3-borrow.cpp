// SPDX-License-Identifier: MIT
#include "common.hpp"

double couple(deed::session& fluid, deed::session& solid) {
  auto load = solid.register_data(deed::per_rank, 1.0);
  solid.insert_task(bump, deed::read_write(load));
  auto view = fluid.borrow(deed::read(load));
  return *view;
}
