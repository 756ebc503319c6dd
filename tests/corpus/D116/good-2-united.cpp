// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, std::vector<double>(8), {.name = "a"});
  auto rows = session.partition(std::move(a), deed::row_blocks{4});
  session.insert_task(clear, deed::read_write(rows[0]));
  a = session.unite(std::move(rows));
  session.insert_task(clear, deed::read_write(a));
}
