// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    std::vector<double> buffer(100);
    auto c = session.register_data(deed::owner{0}, deed::in_place(buffer));
    session.migrate(c, deed::owner{1});
    std::move(c).unregister();  // D612
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
