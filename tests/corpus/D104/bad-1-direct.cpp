// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<double> buffer(100);
  auto all = session.register_data(deed::owner{0}, deed::in_place(buffer));
  auto again = session.register_data(deed::owner{0}, deed::in_place(buffer));
}
