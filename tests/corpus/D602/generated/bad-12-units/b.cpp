// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& a) {
  constexpr auto less = [](double x, double y) { return x - y; };  // D602
  auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{less, 0.0});
  session.insert_task(add, deed::reduce(total), deed::read(a));
  session.insert_task(show, deed::read(total));
}
