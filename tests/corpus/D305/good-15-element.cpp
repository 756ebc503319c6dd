// SPDX-License-Identifier: MIT
#include "common.hpp"

struct cell {
  double mass, charge;
};
constexpr deed::codelet look{"look", [](std::span<const cell> all) { std::cout << all[0].mass; }};

void program(deed::session& session) {
  std::vector<cell> one(100), two(100);
  auto c = session.register_data(deed::per_rank, deed::in_place(one));
  session.insert_task(look, deed::read(c));
  std::fill(two.begin(), two.end(), one[0]);
  session.wait();
}
