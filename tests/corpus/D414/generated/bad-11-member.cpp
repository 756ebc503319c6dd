// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    const int rank = session.rank();
    std::optional<deed::handle<double>> log;
    auto kept = session.register_data(deed::per_rank, 0.0);
    if (rank == 0) log = std::move(kept);
    session.insert_task(bump, deed::read_write(*log));  // D414
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
