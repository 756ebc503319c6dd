// SPDX-License-Identifier: MIT
#include "common.hpp"

struct progress {
  double rest = 1;
  double steps = 0;
};
constexpr deed::codelet go_on{"go_on", [](progress& p, const double& x) {
                                p.rest *= x;
                                ++p.steps;
                              }};

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, progress{}, {.name = "mine"});
  auto factor = session.register_data(deed::per_rank, 0.5 / (1 + session.rank()));
  for (int i = 0; i < 100; ++i) {
    session.insert_task(go_on, deed::read_write(mine), deed::read(factor));
    session.barrier();
    auto view = session.borrow(deed::read(mine));
    if (view->rest < 1e-3) break;
  }
  session.wait();
}
