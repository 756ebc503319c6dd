// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto buffer = std::make_unique<std::vector<double>>(100);
  auto c = session.register_data(deed::per_rank, deed::in_place(*buffer));
  buffer.reset();
  session.insert_task(clear, deed::write(c));
}
