// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto odd = session.group({deed::rank{1}});
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  auto all = session.register_data(deed::owner{0}, std::vector<double>{}, {.name = "all"});
  session.gather(deed::read(mine), deed::write(all), deed::to{0}, deed::among(odd));
  session.wait();
}
