// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <algorithm>
#include <span>
#include <vector>

void program(deed::session& session) {
  auto log = session.register_data(deed::per_rank, std::vector<double>(3), {.name = "log"});
  const std::vector<double>* view = nullptr;
  std::span<const double> part;
  {
    const auto lent = session.borrow(deed::read(log));
    view = &*lent;
    part = *lent;
    std::printf("%zu %g\n", view->size(), *std::max_element(view->begin(), view->end()));
  }
  std::printf("%zu\n", part.size());  // Its length is its own.
  const std::vector<double> other(2);
  view = &other;
  std::printf("%zu\n", view->size());
  std::printf("%zu\n", session.borrow(deed::read(log))->size());
}
