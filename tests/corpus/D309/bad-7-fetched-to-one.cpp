// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto sum = session.register_data(deed::owner{0}, 0.0, {.name = "sum"});
  session.fetch(deed::read(sum), deed::to{0});
  std::cout << *session.borrow(deed::read(sum));
}
