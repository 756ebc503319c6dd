// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<double> buffer(200);
  auto low = std::span(buffer).first(100);
  auto c = session.register_data(deed::per_rank, deed::in_place(low));
  session.insert_task(clear, deed::write(c));
  buffer[150] = 1;
  session.wait();
}
