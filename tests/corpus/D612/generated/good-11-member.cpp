// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    auto c = session.register_data(deed::owner{0}, std::vector<double>(100));
    session.migrate(c, deed::owner{1});
    std::move(c).unregister();
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
