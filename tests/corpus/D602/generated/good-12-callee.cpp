// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& a) {
  constexpr auto most = [](double x, double y) { return x < y ? y : x; };
  auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{most, 0.0});
  session.insert_task(add, deed::reduce(total), deed::read(a));
  session.insert_task(show, deed::read(total));
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  act(session, a);
}
