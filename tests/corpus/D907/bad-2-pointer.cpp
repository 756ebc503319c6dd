// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet halve{"halve", [](tile t) {
                                for (double* p = t.data(); p != t.data() + t.rows() * t.cols(); ++p)
                                  *p /= 2;
                              }};

void program(deed::session& session) {
  deed::tiled_matrix<double> m{
      session, {.rows = 8, .cols = 8, .tile_rows = 8, .tile_cols = 8, .initial = 1}};
  session.insert_task(halve, deed::read_write(m(0, 0)));
}
