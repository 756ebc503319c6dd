// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet count{"count", [](double& x, int n) { x += n; }};

void act(deed::session& session, deed::handle<double>& a) {
  session.insert_task(count, deed::read_write(a), deed::value(std::rand()), deed::on_each{deed::everywhere});  // D408
}
