// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::optional<deed::handle<double>> made{std::nullopt};
  session.insert_task(bump, deed::read_write(*made));
  made = session.register_data(deed::owner{0}, 0.0);
}
