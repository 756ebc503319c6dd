// SPDX-License-Identifier: MIT
#include "common.hpp"

deed::session* world;
void finish() { world->wait(); }
constexpr deed::codelet it{"it", [](double& x) {
                             x = 1;
                             finish();
                           }};

void program(deed::session& session) {
  world = &session;
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
}
