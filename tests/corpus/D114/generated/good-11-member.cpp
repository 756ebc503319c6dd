// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    std::vector<double> first(100), rows(100);
    auto c = session.register_data(deed::owner{0}, deed::in_place(first));
    std::move(c).unregister();
    {
      c = session.register_data(deed::owner{0}, deed::in_place(rows));
      session.insert_task(clear, deed::write(c));
    }
    session.wait();
    std::move(c).unregister();
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
