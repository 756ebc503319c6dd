// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::map<int, deed::handle<double>> blocks;
  for (int i = 0; i < session.size(); ++i)
    blocks.emplace(i, session.register_data(deed::owner{i}, 0.0, {.name = "block"}));
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(add, deed::read_write(a), deed::read(blocks.at(session.rank())));
}
