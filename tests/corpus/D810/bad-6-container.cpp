// SPDX-License-Identifier: MIT
#include "common.hpp"

std::vector<double> seen;

constexpr deed::codelet it{"it", [](double& x) {
                             x += 1;
                             seen.push_back(x);
                           }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
}
