// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<deed::handle<double>> x;
  for (int i = 0; i < session.size(); ++i)
    x.push_back(session.register_data(deed::owner{i}, 1.0, {.name = "x"}));
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  if (*session.borrow(deed::read(x[session.rank()])) > 0.5)
    session.insert_task(bump, deed::read_write(a));
}
