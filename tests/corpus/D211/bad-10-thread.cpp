// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet keep{"keep", [](std::span<double> x) {
                               std::thread later([x] { x[0] = 1; });
                               later.detach();
                             }};

void program(deed::session& session) {
  auto v = session.register_data(deed::owner{0}, std::vector<double>(4), {.name = "v"});
  session.insert_task(keep, deed::read_write(v));
}
