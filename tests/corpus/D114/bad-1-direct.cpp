// SPDX-License-Identifier: MIT
#include "common.hpp"

auto load(deed::session& session) {
  std::vector<double> rows(100);
  return session.register_data(deed::owner{0}, deed::in_place(rows));
}
