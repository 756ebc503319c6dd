// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet zero{"zero", [](double& x) { x = 0; }};

struct stage {
  deed::session& session;
  deed::handle<double> b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});

  void act() {
    auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{std::plus<>{}, 0.0});
    session.insert_task(add, deed::reduce(total), deed::read(b));
    session.reduce(total);
    session.insert_task(zero, deed::write(total));
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
