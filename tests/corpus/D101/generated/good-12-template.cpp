// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

template <class T>
void act(deed::session& session, deed::handle<T>& a) {
  std::vector<deed::handle<double>> all;
  session.insert_task(bump, deed::read_write(a));
  all.push_back(std::move(a));
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  act(session, a);
}
