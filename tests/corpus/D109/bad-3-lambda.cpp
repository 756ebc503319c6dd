// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  int owner = 0;
  const auto choose = [&](int number) { owner = number; };
  choose(-1);
  auto c = session.register_data(deed::owner{owner}, 0.0);
}
