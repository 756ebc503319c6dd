// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <tuple>

constexpr deed::codelet mix{"mix", [](tile x, const_tile y) { x(0, 0) += y(0, 0); }};

void program(deed::session& session) {
  deed::tiled_matrix<double> m{
      session, {.rows = 64, .cols = 64, .tile_rows = 8, .tile_cols = 8, .initial = 1.0}};
  deed::for_each_tile(session, m.interior(), mix, [&](deed::index i, deed::index j) {
    return std::tuple{deed::read_write(m(i, j)), deed::read(m(i - 1, j))};
  });
}
