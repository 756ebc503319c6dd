// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto sum = session.register_data(deed::owner{0}, 0.0, {.name = "sum"});
  double shown = 0.5;
  if (session.owns(sum) && shown < 1) std::cout << *session.borrow(deed::read(sum));
}
