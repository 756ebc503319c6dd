// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet relax{"relax", [](tile next, const_tile now, const_tile north,
                                          const_tile south, const_tile west, const_tile east) {
                                for (int i = 0; i < next.rows(); ++i) {
                                  for (int j = 0; j < next.cols(); ++j)
                                    next(i, j) = now(i, j) + north(i, j) + south(i, j) +
                                                 west(i, j) + east(i, j);
                                }
                              }};

void heat(deed::session& session) {
  deed::tiled_matrix<double> now{session,
                                 {.rows = 4096,
                                  .cols = 4096,
                                  .tile_rows = 256,
                                  .tile_cols = 256,
                                  .owners = deed::block_cyclic{session.size()},
                                  .initial = 20.0,
                                  .name = "now"}};  // each owner fills its own tiles
  auto next = now.like("next");
  for (int step = 0; step < 100; ++step) {
    for (auto [i, j] :
         now.interior())  // every rank runs the same loop; each keeps what concerns it
      session.insert_task(relax, deed::write(next(i, j)), deed::read(now(i, j)),
                          deed::read(now(i - 1, j)), deed::read(now(i + 1, j)),
                          deed::read(now(i, j - 1)), deed::read(now(i, j + 1)));
    std::swap(now, next);
  }
  session.wait();
}
