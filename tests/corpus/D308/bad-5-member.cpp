// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <vector>

void program(deed::session& session) {
  auto log = session.register_data(deed::per_rank, std::vector<double>(3), {.name = "log"});
  const std::vector<double>* view = nullptr;
  {
    const auto lent = session.borrow(deed::read(log));
    view = &*lent;
  }
  std::printf("%zu\n", view->size());
}
