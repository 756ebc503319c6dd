// SPDX-License-Identifier: MIT
#include "common.hpp"

struct level {
  deed::handle<double> u;
  int number;
};

void program(deed::session& session) {
  auto u = session.register_data(deed::owner{0}, 0.0);
  level coarse{std::move(u), 3};
  session.insert_task(bump, deed::read_write(u));
}
