// SPDX-License-Identifier: MIT
#include "common.hpp"

void print(deed::session& session, const deed::handle<double>& h) {
  std::cout << *session.borrow(deed::read(h));
}

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto x = session.borrow(deed::write(mine));
  print(session, mine);
}
