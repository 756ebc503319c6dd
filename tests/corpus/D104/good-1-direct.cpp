// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<double> buffer(100);
  std::vector<double> second(100);
  auto all = session.register_data(deed::owner{0}, deed::in_place(buffer));
  auto other = session.register_data(deed::owner{0}, deed::in_place(second));
}
