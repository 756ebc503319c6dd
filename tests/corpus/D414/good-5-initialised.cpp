// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 0.0);
  auto b = session.register_data(deed::owner{0}, 0.0);
  std::optional<deed::handle<double>> made{session.register_data(deed::owner{0}, 0.0)};
  std::optional<deed::handle<double>> moved(std::move(a));
  std::optional<deed::handle<double>> copied = std::move(b);
  auto named = std::make_optional(session.register_data(deed::owner{0}, 0.0));
  session.insert_task(bump, deed::read_write(*made));
  session.insert_task(bump, deed::read_write(*moved));
  session.insert_task(bump, deed::read_write(*copied));
  session.insert_task(bump, deed::read_write(*named));
}
