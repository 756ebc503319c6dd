// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet it{"it", [](std::vector<double>& v) {
                             const double first = v[0];
                             for (double& x : v) x -= first;
                           }};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(it, deed::read_write(c));
}
