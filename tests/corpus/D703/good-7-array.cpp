// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <array>

void program(deed::session& session) {
  std::array<deed::gate, 2> both{session.make_gate("first"), session.make_gate("second")};
  for (auto& one : both) one.open();
}
