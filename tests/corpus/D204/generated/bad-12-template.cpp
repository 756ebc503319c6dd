// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline std::vector<double> table(100);
template <int N>
void work(double& x) {
  table[0] = x;  // D204
}
constexpr deed::codelet it{"it", [](double& x) { work<3>(x); }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto t = session.register_data(deed::owner{0}, deed::in_place(table));
  session.insert_task(it, deed::read_write(a));
}
