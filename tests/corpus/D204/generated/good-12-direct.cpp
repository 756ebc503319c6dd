// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline std::vector<double> table(100);
constexpr deed::codelet it{"it", [](double& x) {
  x += 1;
}};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto t = session.register_data(deed::owner{0}, deed::in_place(table));
  session.insert_task(it, deed::read_write(a));
}
