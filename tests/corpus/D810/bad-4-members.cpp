// SPDX-License-Identifier: MIT
#include "common.hpp"

struct counters {
  std::atomic<int> hits = 0;
  int last = 0;
};
counters seen;

constexpr deed::codelet it{"it", [](double& x) {
                             ++seen.hits;
                             seen.last = static_cast<int>(x);
                           }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
}
