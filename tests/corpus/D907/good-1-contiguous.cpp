// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <algorithm>

constexpr deed::codelet halve{"halve", [](tile t) {
                                if (t.contiguous()) {
                                  std::for_each(t.data(), t.data() + t.size(),
                                                [](double& x) { x /= 2; });
                                } else {
                                  for (std::size_t i = 0; i < t.rows(); ++i) {
                                    for (double& x : t.row(i)) x /= 2;
                                  }
                                }
                              }};
constexpr deed::codelet by_stride{"by_stride", [](tile t) {
                                    double* const p = t.data();
                                    for (std::size_t i = 0; i < t.rows(); ++i) {
                                      for (std::size_t j = 0; j < t.cols(); ++j)
                                        p[i * t.row_stride() + j] /= 2;
                                    }
                                  }};

void program(deed::session& session) {
  deed::tiled_matrix<double> m{
      session, {.rows = 8, .cols = 8, .tile_rows = 8, .tile_cols = 8, .initial = 1}};
  session.insert_task(halve, deed::read_write(m(0, 0)));
  session.insert_task(by_stride, deed::read_write(m(0, 0)));
}
