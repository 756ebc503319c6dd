// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<double> buffer(100);
  std::vector<double> other(10);
  auto c = session.register_data(deed::owner{0}, deed::in_place(buffer));
  session.insert_task(clear, deed::write(c));
  other[0] = 1;
  std::cout << other[0] << buffer.size();
}
