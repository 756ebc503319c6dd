// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{std::plus<>{}, 0.0});
  session.insert_task(add, deed::reduce(total), deed::read(a));
  session.insert_task(show, deed::read(total));
}
