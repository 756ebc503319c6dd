// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<double> buffer(100);
  auto c = session.register_data(deed::owner{0}, deed::in_place(buffer));
  session.insert_task(clear, deed::write(c));
  if (!session.owns(c)) return;
  auto view = session.borrow(deed::read(c));
  std::cout << (*view)[0] << buffer[1];
}
