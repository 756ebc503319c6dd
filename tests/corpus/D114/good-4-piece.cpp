// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<double> memory(100);
  auto c = session.register_data(deed::owner{0}, deed::in_place(memory), {.name = "c"});
  std::move(c).unregister();
  {
    std::span<double> piece(memory.data(), 10);
    c = session.register_data(deed::owner{0}, deed::in_place(piece), {.name = "c"});
    session.insert_task(clear, deed::write(c));
  }
  session.wait();
}
