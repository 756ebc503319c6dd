// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  std::vector<deed::handle<double>> parts;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      parts.push_back(session.register_data(deed::owner{0}, 0.0, {.tag = deed::tag{4 * i + j}}));
    }
  }
}
