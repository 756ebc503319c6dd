// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<deed::handle<double>> parts;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j)
      parts.push_back(session.register_data(deed::owner{0}, 0.0, {.tag = deed::tag{2 * i + j}}));
  }
}
