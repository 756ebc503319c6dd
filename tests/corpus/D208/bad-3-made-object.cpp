// SPDX-License-Identifier: MIT
#include "common.hpp"

struct fields {
  deed::handle<double> now, before;
};

fields make(deed::session& session) {
  fields made{
      session.register_data(deed::owner{0}, 1.0, {.name = "now"}),
      session.register_data<double>(deed::owner{0}, deed::uninitialised, {.name = "before"})};
  session.insert_task(bump, deed::read_write(made.now));
  return made;
}

void program(deed::session& session) {
  fields u = make(session);
  session.insert_task(add, deed::read_write(u.now), deed::read(u.before));
  session.insert_task(show, deed::read(u.now));
}
