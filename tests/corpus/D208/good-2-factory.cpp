// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet set{"set", [](double& x) { x = 1; }};

struct fields {
  deed::handle<double> now, before;
  int steps = 0;
};

fields make(deed::session& session) {
  return {session.register_data<double>(deed::owner{0}, deed::uninitialised, {.name = "now"}),
          session.register_data<double>(deed::owner{0}, deed::uninitialised, {.name = "before"}),
          7};
}

fields begun(deed::session& session) {
  fields made = make(session);
  session.insert_task(set, deed::write(made.now));
  session.insert_task(set, deed::write(made.before));
  made.steps += 1;
  return made;
}

struct simulation {
  fields own;
  std::vector<fields> all;
  explicit simulation(deed::session& session) : own(begun(session)) {
    for (int i = 0; i < 3; ++i) all.push_back(begun(session));
  }
};

void program(deed::session& session) {
  fields u = begun(session);
  session.insert_task(add, deed::read_write(u.now), deed::read(u.before));
  fields v = make(session);
  v = begun(session);
  session.insert_task(add, deed::read_write(v.now), deed::read(v.before));
  simulation all(session);
  session.insert_task(add, deed::read_write(all.own.now), deed::read(all.own.before));
  for (auto& one : all.all)
    session.insert_task(add, deed::read_write(one.now), deed::read(one.before));
  std::optional<fields> later;
  later = begun(session);
  session.insert_task(add, deed::read_write(later->now), deed::read(later->before));
  for (auto* const h : {&u.now, &v.now, &all.own.now, &later->now})
    session.insert_task(show, deed::read(*h));
  for (auto& one : all.all) session.insert_task(show, deed::read(one.now));
}
