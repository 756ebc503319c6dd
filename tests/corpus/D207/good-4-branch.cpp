// SPDX-License-Identifier: MIT
#include "common.hpp"

double start();
constexpr deed::codelet it{"it", [](double& x) {
                             x = start();
                             if (x > 1) x = 1;
                           }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::write(a));
}
