// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  std::move(a).unregister();
  a = session.register_data(deed::owner{0}, 2.0);
  session.insert_task(show, deed::read(a));
}
