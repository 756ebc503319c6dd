// SPDX-License-Identifier: MIT
#include "common.hpp"

void prepare(deed::session& session) {
  std::ifstream in("there-is-no-such-file");
  if (session.rank() == 0) {
    if (!in) return;
  }
  session.barrier();
}

// The return is the mistake, told once: that not every rank reaches the barrier follows from it.
void program(deed::session& session) {
  prepare(session);
  session.wait();
}
