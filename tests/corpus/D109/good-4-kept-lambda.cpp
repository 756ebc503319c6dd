// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <functional>

void choose(const std::function<void(int)>& take) { take(0); }

void program(deed::session& session) {
  int owner = -1;
  choose([&](int number) { owner = number; });
  auto c = session.register_data(deed::owner{owner}, 0.0);
}
