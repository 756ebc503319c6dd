// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{std::plus<>{}, 0.0});
  session.insert_task(add, deed::reduce(total), deed::read(b));
  if (session.owns(total)) {
    const auto view = session.borrow(deed::read(total));
    std::cout << *view;
  }
}
