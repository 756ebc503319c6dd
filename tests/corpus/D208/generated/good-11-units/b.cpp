// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet zero{"zero", [](double& x) { x = 0; }};

void act(deed::session& session) {
  auto c = session.register_data<double>(deed::owner{0}, deed::uninitialised);
  session.insert_task(zero, deed::write(c));
  session.insert_task(show, deed::read(c));
}
