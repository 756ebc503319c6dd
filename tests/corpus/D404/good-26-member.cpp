// SPDX-License-Identifier: MIT
#include "common.hpp"

struct progress {
  double rest = 1;
  long steps = 0;
  bool done(long most) const { return steps >= most; }
};
constexpr deed::codelet go_on{"go_on", [](progress& p, const double& x) {
                                p.rest = 0.5 * p.rest + x;
                                ++p.steps;
                              }};
constexpr deed::codelet count{"count", [](progress& p) { ++p.steps; }};

// The residual differs between ranks, the number of steps beside it does not.
void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, progress{}, {.name = "mine"});
  auto all = session.register_data(deed::owner{0}, progress{}, {.name = "all"});
  auto factor = session.register_data(deed::per_rank, 0.5 / (1 + session.rank()));
  for (int i = 0; i < 100; ++i) {
    session.insert_task(go_on, deed::read_write(mine), deed::read(factor));
    session.insert_task(count, deed::read_write(all));
    session.barrier();
    {
      auto view = session.borrow(deed::read(mine));
      if (view->rest < 1e-3) std::cout << view->steps;
      if (view->steps > 50) break;
      if (view->done(40)) break;
      const progress own = *view;
      if (own.steps > 30) break;
    }
    session.fetch(deed::read(all), deed::everywhere);
    auto view = session.borrow(deed::read(all));
    const progress copy = *view;
    if (view->rest < 1e-3 || copy.steps > 50) break;
  }
  session.wait();
}
