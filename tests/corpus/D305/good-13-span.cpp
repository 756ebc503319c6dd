// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<double> one(100), two(100);
  std::span<double> all = one;
  auto c = session.register_data(deed::per_rank, deed::in_place(one));
  all = two;
  session.insert_task(clear, deed::write(c));
  all[3] = 1;
  session.wait();
}
