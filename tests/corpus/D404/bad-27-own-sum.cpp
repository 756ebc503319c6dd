// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet draw{"draw", [](double& x, int rank) { x = 1 + rank; }};

// What makes the time of a rank its own stands behind where it is read.
class clocks {
 public:
  explicit clocks(deed::session& session)
      : session_(session),
        speed_(session.register_data(deed::per_rank, 1.0, {.name = "speed"})),
        way_(session.register_data(deed::per_rank, 0.0, {.name = "way"})),
        longest_(session.register_data(deed::per_rank, 0.0, {.name = "longest"})) {}
  double step(double most) {
    session_.insert_task(add, deed::read_write(way_), deed::read(speed_));
    session_.all_reduce(deed::read(way_), deed::write(longest_), std::plus<>{});
    const double gone = *session_.borrow(deed::read(way_));
    session_.insert_task(draw, deed::write(speed_), deed::value(session_.rank()));
    return std::min(most, gone);
  }

 private:
  deed::session& session_;
  deed::handle<double> speed_, way_, longest_;
};

void program(deed::session& session) {
  clocks all(session);
  double t = 0;
  while (t < 100) t += all.step(20);
  session.wait();
}
