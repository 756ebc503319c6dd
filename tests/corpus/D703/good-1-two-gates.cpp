// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto start = session.make_gate("start");
  auto second = session.make_gate("second");
  start.open();
  second.open();
}
