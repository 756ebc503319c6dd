// SPDX-License-Identifier: MIT
#include "common.hpp"

// Each step of the outer loop comes to the inner one, which goes over the same.
constexpr deed::codelet blur{"blur", [](tile t, const double& weight) {
                               const std::size_t cols = t.cols() - 1;
                               for (std::size_t i = 0; i < t.rows(); ++i) {
                                 for (std::size_t j = 1; j < cols; ++j)
                                   t(i, j) += weight * t(i + 1, j);
                               }
                             }};

void program(deed::session& session) {
  deed::tiled_matrix<double> m{
      session, {.rows = 8, .cols = 8, .tile_rows = 8, .tile_cols = 8, .initial = 1}};
  auto weight = session.register_data(deed::owner{0}, 0.5);
  session.insert_task(blur, deed::read_write(m(0, 0)), deed::read(weight));
}
