// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  int owner = -1;
  const auto choose = [&](auto number) { owner = number; };
  choose(0);
  auto c = session.register_data(deed::owner{owner}, 0.0);
}
