// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto c = std::move(a);
  a = std::move(c);
  session.insert_task(show, deed::read(a));
}
