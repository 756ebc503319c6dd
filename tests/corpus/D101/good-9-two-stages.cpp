// SPDX-License-Identifier: MIT
#include "common.hpp"

struct stage {
  deed::session& session;
  deed::handle<double>& counter;
  void act() { session.insert_task(bump, deed::read_write(counter)); }
};

void run(deed::session& session, deed::handle<double>& counter) {
  stage one{session, counter};
  one.act();
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  run(session, a);
  auto kept = std::move(a);
  run(session, b);  // The same member stands for another handle.
}
