// SPDX-License-Identifier: MIT
#include "common.hpp"

template <class T>
void step(deed::session& session, deed::handle<T>& h, bool last) {
  deed::handle<T> taken = std::move(h);
  if (last) session.insert_task(show, deed::read(h));
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  step(session, a, true);
}
