// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(64), {.name = "c"});
  auto parts = session.partition(std::move(c), deed::row_ranges{{0, 40}, {30, 64}});  // D117
  for (auto& part : parts) session.insert_task(clear, deed::write(part));
}
