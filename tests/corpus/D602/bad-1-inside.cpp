// SPDX-License-Identifier: MIT
#include "common.hpp"

inline double quotient(double x, double y) { return x / y; }

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  constexpr auto halved = [](double x, double y) { return quotient(x, y); };
  auto total = session.register_data(deed::owner{0}, 1.0, deed::reduction{halved, 1.0});
  session.insert_task(add, deed::reduce(total), deed::read(a));
  session.insert_task(show, deed::read(total));
}
