// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet twice{"twice", [](tile t) {
                                for (auto row : t) {
                                  for (double& x : row) x *= 2;
                                }
                              }};

void program(deed::session& session) {
  deed::tiled_matrix<double> m{
      session, {.rows = 32, .cols = 32, .tile_rows = 8, .tile_cols = 8, .initial = 1}};
  for (auto [i, j] : m.indices()) {
    if (session.relevant(deed::read_write(m(i, j))))
      session.insert_task(twice, deed::read_write(m(i, j)));
    if (session.rank() == 0) std::cout << i << ' ' << j << '\n';
  }
  for (auto [i, j] : m.indices()) {
    if (session.rank() == 0)
      session.insert_task(twice, deed::read_write(m(i, j)));
    else
      session.insert_task(twice, deed::read_write(m(i, j)));
  }
  session.wait();
}
