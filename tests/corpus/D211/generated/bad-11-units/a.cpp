// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(std::vector<double>& v);  // In b.cpp.
constexpr deed::codelet it{"it", [](std::vector<double>& v) { work(v); }};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(it, deed::read_write(c));
}
