// SPDX-License-Identifier: MIT
#include "common.hpp"

void set(deed::session& session, std::optional<deed::handle<double>>& log) {
  log.emplace(session.register_data(deed::per_rank, 0.0));
}

void use(deed::session& session, std::optional<deed::handle<double>>& log) {
  session.insert_task(bump, deed::read_write(*log));
}

void program(deed::session& session) {
  std::optional<deed::handle<double>> log;
  use(session, log);
  set(session, log);
}
