// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::optional<deed::handle<double>> log;
  session.insert_task(bump, deed::read_write(*log));
  log = session.register_data(deed::per_rank, 0.0);
}
