// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  const int size = session.size();
  deed::tiled_matrix<double> m{session, {.rows = 64 + size, .cols = 64, .tile_rows = 64, .tile_cols = 64}};
}
