// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  std::optional<deed::handle<double>> log;
  auto kept = session.register_data(deed::per_rank, 0.0);
  if (rank == 0) log = std::move(kept);
  if (log) session.insert_task(bump, deed::read_write(*log));
}
