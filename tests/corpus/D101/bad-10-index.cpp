// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <tuple>

constexpr deed::codelet zero{"zero", [](tile x) { x(0, 0) = 0; }};

void program(deed::session& session) {
  deed::tiled_matrix<double> m{session, {.rows = 64, .cols = 64, .tile_rows = 8, .tile_cols = 8}};
  auto grid = std::move(m);
  const auto named = [&](deed::index i, deed::index j) { return std::tuple{deed::write(m(i, j))}; };
  deed::for_each_tile(session, grid.indices(), zero, named);
}
