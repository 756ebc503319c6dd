// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::map<int, deed::handle<double>> blocks;
  for (int i = 0; i < session.size(); ++i)
    blocks.emplace(i, session.register_data(deed::owner{i}, 0.0, {.name = "block"}));
  for (int i = 0; i < session.size(); ++i)
    session.insert_task(bump, deed::read_write(blocks.at(i)));
  session.insert_task(bump, deed::read_write(blocks.at(session.rank())));
}
