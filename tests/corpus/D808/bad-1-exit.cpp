// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet it{"it", [](double& x) {
                             if (x > 0) std::exit(1);
                             x = 2;
                           }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
}
