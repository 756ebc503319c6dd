// SPDX-License-Identifier: MIT
#include "common.hpp"

struct progress {
  double rest = 1;
  long steps = 0;
  bool converged() const { return rest < 1e-3; }
};
constexpr deed::codelet go_on{"go_on", [](progress& p, const double& x) {
                                p.rest *= x;
                                ++p.steps;
                              }};

// A copy of a datum differs as the datum does.
void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, progress{}, {.name = "mine"});
  auto factor = session.register_data(deed::per_rank, 0.5 / (1 + session.rank()));
  for (int i = 0; i < 100; ++i) {
    session.insert_task(go_on, deed::read_write(mine), deed::read(factor));
    session.barrier();
    const progress now = *session.borrow(deed::read(mine));
    if (now.converged()) break;
  }
  session.wait();
}
