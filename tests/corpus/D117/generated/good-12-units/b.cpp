// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  const deed::row_ranges cut{{0, 16}, {16, 32}, {32, 64}};
  auto c = session.register_data(deed::owner{0}, std::vector<double>(64), {.name = "c"});
  auto parts = session.partition(std::move(c), cut);
  for (auto& part : parts) session.insert_task(clear, deed::write(part));
}
