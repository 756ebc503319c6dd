// SPDX-License-Identifier: MIT
#include "common.hpp"

using values = std::vector<double>;

std::span<double> inner(deed::session& session, deed::handle<values>& field) {
  auto view = session.borrow(deed::write(field));
  return *view;
}

void program(deed::session& session) {
  auto field = session.register_data(deed::per_rank, values(8), {.name = "field"});
  inner(session, field)[0] = 1;
}
