// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(64), {.name = "c"});
  auto parts = session.partition(std::move(c), deed::row_blocks{2});
  for (auto& part : parts) session.insert_task(clear, deed::write(part));
}
