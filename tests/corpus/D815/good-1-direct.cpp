// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  deed::session inner;
  std::cout << inner.rank();
}
