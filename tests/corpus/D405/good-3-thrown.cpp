// SPDX-License-Identifier: MIT
#include "common.hpp"

void check_input() {
  if (!std::ifstream{"/dev/null"}) throw std::runtime_error("no input");
}

void program(deed::session& session) {
  if (session.rank() == 0) check_input();  // Where it throws, the job ends.
  const int left = 4 - session.size();
  if (left <= 0) return;
  session.wait();
}
