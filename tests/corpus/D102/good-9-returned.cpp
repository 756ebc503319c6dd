// SPDX-License-Identifier: MIT
#include "common.hpp"

struct sums {
  deed::handle<double> total, part;
};

sums make(deed::session& session) {
  return {.total = session.register_data(deed::owner{0}, 0.0),
          .part = session.register_data(deed::owner{0}, 1.0)};
}

void finish(sums& all) { std::move(all.part).unregister(); }

void program(deed::session& session) {
  sums all = make(session);
  session.insert_task(add, deed::read_write(all.total), deed::read(all.part));
  finish(all);
  all = make(session);
  session.insert_task(add, deed::read_write(all.total), deed::read(all.part));
}
