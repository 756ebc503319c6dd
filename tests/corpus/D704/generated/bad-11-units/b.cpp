// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& a, deed::handle<double>& b) {
  auto first = session.make_gate("first"), second = session.make_gate("second");
  session.insert_task(bump, deed::read_write(a), deed::behind(first), deed::opens(second));
  session.insert_task(bump, deed::read_write(b), deed::behind(second), deed::opens(first));  // D704
  session.wait();
}
