// SPDX-License-Identifier: MIT
#include "common.hpp"

struct stage {
  deed::session& session;
  deed::handle<double>& counter;
  void act() { session.insert_task(bump, deed::read_write(counter)); }
};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  stage one{session, a};
  session.close();
  one.act();
}
