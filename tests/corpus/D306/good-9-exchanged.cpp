// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::per_rank, 1.0, {.name = "a"});
  std::optional<deed::borrow<double>> view = session.borrow(deed::write(a));
  {
    auto last = std::exchange(view, std::nullopt);
  }
  session.insert_task(bump, deed::read_write(a));
  session.wait();
}
