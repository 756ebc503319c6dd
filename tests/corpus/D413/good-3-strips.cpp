// SPDX-License-Identifier: MIT
#include "common.hpp"

// Each rank adds up all strips.
void program(deed::session& session) {
  auto own = session.register_data(deed::per_rank, 0.0, {.name = "own"});
  std::vector<deed::handle<double>> strips;
  for (int i = 0; i < 8; ++i)
    strips.push_back(session.register_data(deed::owner{i % session.size()}, 1.0));
  for (auto& strip : strips) {
    session.insert_task(add, deed::read_write(own), deed::read(strip),
                        deed::on_each{deed::everywhere});
  }
}
