// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    std::vector<double> rows(100);
    auto c = session.register_data(deed::owner{0}, deed::in_place(rows));
    session.insert_task(clear, deed::write(c));
    std::cout << rows[0];  // D305
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
