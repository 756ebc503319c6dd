// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<double> one(100), two(100);
  double *now = one.data(), *next = two.data();
  auto c = session.register_data(deed::per_rank, deed::in_place(one));
  std::swap(now, next);
  session.insert_task(clear, deed::write(c));
  now[3] = 1;
  session.wait();
}
