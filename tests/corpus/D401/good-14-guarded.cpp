// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto shared = session.register_data(deed::owner{0}, 1.0, {.name = "shared"});
  std::ifstream input("more.dat");
  const bool more = input.good();
  if (session.rank() == 0) {
    if (more) session.insert_task(bump, deed::read_write(shared));
  }
  if (!more || session.owns(shared)) session.insert_task(bump, deed::read_write(shared));
}
