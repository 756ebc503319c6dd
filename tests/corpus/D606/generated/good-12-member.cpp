// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    const int size = session.size();
    std::vector<deed::handle<double>> parts;
    for (int i = 0; i < size; ++i) parts.push_back(session.register_data(deed::owner{i}, 1.0));
    session.scatter(deed::write(std::span{parts}.subspan(0, parts.size())), deed::from{0});
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
