// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  switch (session.rank()) {
    case 0:
      session.migrate(a, deed::owner{1});
      break;
    default:
      break;
  }
}
