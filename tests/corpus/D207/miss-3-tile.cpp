// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet it{"it", [](tile t) {
                             for (int i = 1; i < t.rows(); ++i) {
                               for (int j = 0; j < t.cols(); ++j) t(i, j) = t(i - 1, j);
                             }
                           }};

void program(deed::session& session) {
  deed::tiled_matrix<double> m{session, {.rows = 8, .cols = 8, .tile_rows = 8, .tile_cols = 8}};
  session.insert_task(it, deed::write(m(0, 0)));
}
