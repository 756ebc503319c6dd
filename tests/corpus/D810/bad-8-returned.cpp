// SPDX-License-Identifier: MIT
#include "common.hpp"

struct counters {
  int hits = 0;
};
counters seen;
int& hits() { return seen.hits; }

constexpr deed::codelet it{"it", [](double& x) {
                             x += 1;
                             ++hits();
                           }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
}
