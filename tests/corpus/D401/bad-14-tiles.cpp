// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet twice{"twice", [](tile t) {
                                for (auto row : t) {
                                  for (double& x : row) x *= 2;
                                }
                              }};

void all_of(deed::session& session, deed::tiled_matrix<double>& m) {
  for (auto [i, j] : m.indices()) {
    if (session.rank() == 0) session.insert_task(twice, deed::read_write(m(i, j)));
  }
}

void program(deed::session& session) {
  deed::tiled_matrix<double> m{
      session, {.rows = 32, .cols = 32, .tile_rows = 8, .tile_cols = 8, .initial = 1}};
  all_of(session, m);
  session.wait();
}
