// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet look{"look", [](std::span<const double> all) { std::cout << all[0]; }};

void program(deed::session& session) {
  std::vector<double> one(100), two(100);
  auto c = session.register_data(deed::per_rank, deed::in_place(one));
  session.insert_task(look, deed::read(c));
  std::fill(two.begin(), two.end(), one[0]);
  std::for_each(one.begin(), one.end(), [](const double& x) { std::cout << x; });
  session.wait();
}
