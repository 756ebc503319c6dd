// SPDX-License-Identifier: MIT
#include "common.hpp"

struct fields {
  deed::handle<double> pressure, velocity;
};

fields make(deed::session& session) {
  auto pressure = session.register_data<double>(deed::owner{0}, deed::uninitialised);
  auto velocity = session.register_data(deed::owner{0}, 1.0);
  return {std::move(pressure), std::move(velocity)};
}

class solver {
 public:
  explicit solver(deed::session& session) : session_(session), now_(make(session)) {}
  void step() {
    session_.insert_task(add, deed::read_write(now_.velocity), deed::read(now_.pressure));
  }

 private:
  deed::session& session_;
  fields now_;
};

void program(deed::session& session) {
  solver all(session);
  all.step();
}
