// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet it{"it", [](double& x) {
                             std::vector<double> seen;
                             seen.push_back(x);
                             x += seen.front();
                           }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
}
