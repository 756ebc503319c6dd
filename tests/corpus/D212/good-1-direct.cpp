// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int size = session.size();
  deed::tiled_matrix<double> local{
      session, {.rows = 64 + size, .cols = 64, .tile_rows = 64, .tile_cols = 64}};
}
