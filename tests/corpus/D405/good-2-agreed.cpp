// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const bool failed = !std::ifstream{"in.dat"};
  if (session.any(failed)) return;
  session.wait();
}
