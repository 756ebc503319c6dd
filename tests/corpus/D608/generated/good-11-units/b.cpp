// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  std::vector<deed::handle<double>> parts;
  session.gather(deed::read(parts), deed::to{0});
}
