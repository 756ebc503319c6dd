// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet copy{"copy", [](tile to, const_tile from) { to(0, 0) = from(0, 0); }};

void program(deed::session& session) {
  deed::tiled_matrix<double> m{
      session, {.rows = 64, .cols = 64, .tile_rows = 8, .tile_cols = 8, .initial = 0}};
  for (auto [i, j] : m.interior())
    session.insert_task(copy, deed::write(m(i, j)), deed::read(m(i - 1, j)));
}
