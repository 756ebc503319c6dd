// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet count{"count", [](double& x, int n) { x += n; }};

struct stage {
  deed::session& session;
  deed::handle<double> a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});

  void act() {
    session.insert_task(count, deed::read_write(a), deed::value(std::rand()), deed::on_each{deed::everywhere});  // D408
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
