// SPDX-License-Identifier: MIT
#include "common.hpp"

std::atomic<int> seen = 0;
std::atomic<int>& hits() { return seen; }
const double step = 0.5;
const double& by() { return step; }
double& first(double& x) { return x; }

constexpr deed::codelet it{"it", [](double& x) {
                             first(x) += by();
                             ++hits();
                           }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
}
