// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto start = session.make_gate("start");
  start.open();
  session.close();
}
