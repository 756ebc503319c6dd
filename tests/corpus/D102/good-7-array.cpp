// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <array>

void program(deed::session& session) {
  std::array<deed::handle<double>, 2> both{session.register_data(deed::per_rank, 1.0),
                                           session.register_data(deed::per_rank, 2.0)};
  for (auto& one : both) std::move(one).unregister();
}
