// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<double> buffer(100);
  auto c = session.register_data(deed::per_rank, deed::in_place(buffer));
  session.insert_task(clear, deed::write(c));
  for (auto at = buffer.begin(); at != buffer.end(); ++at) *at = 1;
  session.wait();
}
