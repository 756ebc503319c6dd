// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet both{"both", [](const double& x, const double& y) { std::cout << x + y; }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(both, deed::read(a), deed::read(a));
}
