// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& a) {
  std::thread{[&] { session.insert_task(bump, deed::read_write(a)); }}.join();  // D806
}
