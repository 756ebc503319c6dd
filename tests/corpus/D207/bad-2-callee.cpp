// SPDX-License-Identifier: MIT
#include "common.hpp"

void grow(double& x) { x *= 2; }
constexpr deed::codelet it{"it", [](double& x) { grow(x); }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::write(a));
}
