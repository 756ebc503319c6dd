// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline void work(std::span<double> v) {
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = v[i + 1];  // D214
}
constexpr deed::codelet it{"it", [](std::span<double> v) { work(v); }};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(4));
  session.insert_task(it, deed::read_write(c));
}
