// SPDX-License-Identifier: MIT
#include "common.hpp"

int hits = 0;
std::mutex guard;
void hit() {
  const std::lock_guard lock(guard);
  hits = hits + 1;
}
constexpr deed::codelet it{"it", [](double& x) {
                             x += 1;
                             hit();
                           }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
}
