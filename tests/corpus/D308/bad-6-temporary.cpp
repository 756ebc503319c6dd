// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <algorithm>
#include <vector>

void program(deed::session& session) {
  auto log = session.register_data(deed::per_rank, std::vector<double>(3), {.name = "log"});
  const auto& values = *session.borrow(deed::read(log));
  std::printf("%g\n", *std::max_element(values.begin(), values.end()));
}
