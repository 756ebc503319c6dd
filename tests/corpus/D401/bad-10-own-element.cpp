// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<deed::handle<double>> x;
  for (int i = 0; i < session.size(); ++i)
    x.push_back(session.register_data(deed::owner{i}, 1.0 * i, {.name = "x"}));
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto mine = session.borrow(deed::read(x[session.rank()]));
  if (*mine > 0.5) session.insert_task(bump, deed::read_write(a));
}
