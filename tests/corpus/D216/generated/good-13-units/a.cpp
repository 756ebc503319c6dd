// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(double& x, std::span<double> room);  // In b.cpp.
constexpr deed::codelet it{"it", [](double& x, std::span<double> room) { work(x, room); }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a), deed::scratch<double>(8));
}
