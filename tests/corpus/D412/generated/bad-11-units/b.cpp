// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet swap{"swap", [](double& x, double& y) { std::swap(x, y); }};

void act(deed::session& session, deed::handle<double>& a, deed::handle<double>& b) {
  session.insert_task(swap, deed::read_write(a), deed::read_write(b));  // D412
}
