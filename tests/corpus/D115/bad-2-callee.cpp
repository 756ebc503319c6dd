// SPDX-License-Identifier: MIT
#include "common.hpp"

void grow(std::vector<double>& v) { v.resize(2 * v.size()); }

void program(deed::session& session) {
  std::vector<double> buffer(100);
  auto c = session.register_data(deed::owner{0}, deed::in_place(buffer));
  grow(buffer);
  session.insert_task(clear, deed::write(c));
}
