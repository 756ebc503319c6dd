// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  const double& x = *session.borrow(deed::read(mine));
  std::cout << x;
}
