// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <utility>

constexpr deed::codelet clear_all{"clear_all", [](tile t) {
                                    for (auto row : t) {
                                      for (double& x : row) x = 0;
                                    }
                                  }};

void program(deed::session& session) {
  deed::tiled_matrix<double> m{
      session, {.rows = 16, .cols = 8, .tile_rows = 8, .tile_cols = 8, .initial = 1}};
  for (int i = 0; i < 2; ++i) {
    auto rows = session.partition(std::move(m(i, 0)), deed::row_blocks{2});
    session.insert_task(clear_all, deed::write(m(i, 0)));
    m(i, 0) = session.unite(std::move(rows));
  }
}
