// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto first = session.register_data(deed::per_rank, 0.0);
  auto other = session.register_data(deed::per_rank, 1.0);
  std::optional<deed::handle<double>> log{std::move(first)};
  if (session.rank() == 0) log = std::move(other);
  session.insert_task(bump, deed::read_write(*log));
}
