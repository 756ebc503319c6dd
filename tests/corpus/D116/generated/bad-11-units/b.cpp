// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(8), {.name = "c"});
  auto parts = session.partition(std::move(c), deed::row_blocks{2});
  session.insert_task(clear, deed::write(parts[1]));
  session.insert_task(clear, deed::write(c));  // D116
}
