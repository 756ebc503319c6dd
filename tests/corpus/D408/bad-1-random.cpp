// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet scale{"scale", [](double& x, int k) { x *= k; }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(scale, deed::read_write(a), deed::value(std::rand()),
                      deed::on_each{deed::everywhere});
}
