// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <functional>

void program(deed::session& session) {
  int first = -1, second = -1;
  int* const there = &first;
  *there = 0;
  const auto same = std::ref(second);
  same.get() = 0;
  auto a = session.register_data(deed::owner{first}, 0.0);
  auto b = session.register_data(deed::owner{second}, 0.0);
}
