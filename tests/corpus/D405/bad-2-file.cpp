// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  if (!std::ifstream{"in.dat"}) return;
  session.wait();
}
