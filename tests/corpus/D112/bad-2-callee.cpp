// SPDX-License-Identifier: MIT
#include "common.hpp"

void report(deed::session& where, deed::handle<double>& what) {
  where.insert_task(show, deed::read(what));
}

void couple(deed::session& fluid, deed::session& solid) {
  auto pressure = fluid.register_data(deed::owner{0}, 1.0);
  report(solid, pressure);
}
