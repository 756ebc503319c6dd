// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet zero{"zero", [](double& x) { x = 0; }};

struct fields {
  deed::handle<double> pressure, velocity;
};

fields make(deed::session& session) {
  fields made{session.register_data<double>(deed::owner{0}, deed::uninitialised),
              session.register_data<double>(deed::owner{0}, deed::uninitialised)};
  session.insert_task(zero, deed::write(made.velocity));
  return made;
}

void fill(deed::session& session, fields& all) {
  session.insert_task(zero, deed::write(all.pressure));
}

void program(deed::session& session) {
  auto now = make(session), next = make(session);
  fill(session, now);
  session.insert_task(add, deed::read_write(now.velocity), deed::read(now.pressure));
  fill(session, next);
  session.insert_task(add, deed::read_write(next.velocity), deed::read(next.pressure));
}
