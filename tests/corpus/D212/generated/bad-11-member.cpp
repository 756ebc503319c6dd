// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    const int rank = session.rank();
    deed::tiled_matrix<double> m{session, {.rows = 64 + rank, .cols = 64, .tile_rows = 64, .tile_cols = 64}};  // D212
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
