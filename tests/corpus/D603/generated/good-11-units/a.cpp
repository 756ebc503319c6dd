// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& b);  // In b.cpp.

void program(deed::session& session) {
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  act(session, b);
}
