// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline std::vector<double>* kept = nullptr;
constexpr deed::codelet it{"it", [](std::vector<double>& v) {
  kept = &v;  // D211
}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(it, deed::read_write(c));
}
