// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::map<int, deed::handle<double>> blocks;
  for (int i = 0; i < session.size(); ++i)
    blocks.insert_or_assign(i, session.register_data(deed::owner{i}, 0.0, {.name = "block"}));
  if (session.rank() == 0)
    session.insert_task(add, deed::read_write(blocks.at(0)), deed::read(blocks.at(1)));
}
