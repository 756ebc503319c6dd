// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto field = session.register_data(deed::per_rank, std::vector<double>(8), {.name = "field"});
  std::vector<double> own(8);
  double* raw = nullptr;
  {
    auto view = session.borrow(deed::write(field));
    raw = view->data();
    raw[0] = 1;
  }
  raw = own.data();
  raw[1] = 2;
}
