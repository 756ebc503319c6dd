// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session);  // In b.cpp.

void program(deed::session& session) {
  act(session);
}
