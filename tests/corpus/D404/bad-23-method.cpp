// SPDX-License-Identifier: MIT
#include "common.hpp"

// What a function reads from a datum that it did not register.
class solver {
 public:
  explicit solver(deed::session& session)
      : session_(session),
        rest_(session.register_data(deed::per_rank, 1.0 + session.rank(), {.name = "rest"})) {}
  void run() {
    for (int i = 0; i < 100; ++i) {
      session_.insert_task(bump, deed::read_write(rest_));
      session_.barrier();
      if (rest() < 1e-3) break;
    }
  }

 private:
  double rest() { return *session_.borrow(deed::read(rest_)); }

  deed::session& session_;
  deed::handle<double> rest_;
};

void program(deed::session& session) {
  solver all(session);
  all.run();
  session.wait();
}
