// SPDX-License-Identifier: MIT
#include "common.hpp"

class solver {
 public:
  explicit solver(deed::session& session)
      : session_(session), grid_(session.register_data(deed::owner{0}, 0.0)) {}
  void give_away() { auto gone = std::move(grid_); }
  void step() { session_.insert_task(bump, deed::read_write(grid_)); }

 private:
  deed::session& session_;
  deed::handle<double> grid_;
};

void program(deed::session& session) {
  solver s{session};
  s.step();
  s.give_away();
}
