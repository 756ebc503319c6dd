// SPDX-License-Identifier: MIT
#include "common.hpp"

// Each rank adds up what is its own.
void program(deed::session& session) {
  auto own = session.register_data(deed::per_rank, 0.0, {.name = "own"});
  std::vector<deed::handle<double>> strips;
  for (int i = 0; i < 8; ++i)
    strips.push_back(session.register_data(deed::owner{i % session.size()}, 1.0));
  for (auto& strip : strips) {
    if (session.owns(strip)) session.insert_task(add, deed::read_write(own), deed::read(strip));
  }
}
