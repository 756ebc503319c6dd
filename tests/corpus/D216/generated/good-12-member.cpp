// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct helper {
  static void work(double& x, const double& y, std::span<double> room) {
    room[7] = y;
    room[7] += y;
    x = room[7];
  }
};
constexpr deed::codelet it{"it", [](double& x, const double& y, std::span<double> room) { helper::work(x, y, room); }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  session.insert_task(it, deed::write(a), deed::read(b), deed::scratch<double>(8));
}
