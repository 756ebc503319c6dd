// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet smooth{"smooth", [](tile t) {
                                 for (std::size_t i = 1; i < t.rows(); ++i) {
                                   for (double& x : t.row(i)) x += t.row(i - 1)[0];
                                 }
                                 t.row(t.rows() - 1)[0] = 0;
                                 double* const p = t.data();
                                 if (t.contiguous()) p[t.rows()] = 1;  // An element, not a row.
                               }};

void program(deed::session& session) {
  deed::tiled_matrix<double> m{
      session, {.rows = 8, .cols = 8, .tile_rows = 8, .tile_cols = 8, .initial = 1}};
  session.insert_task(smooth, deed::read_write(m(0, 0)));
}
