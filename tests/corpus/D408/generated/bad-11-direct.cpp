// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet count{"count", [](double& x, int n) { x += n; }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(count, deed::read_write(a), deed::value(std::rand()), deed::on_each{deed::everywhere});  // D408
}
