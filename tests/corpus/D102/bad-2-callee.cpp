// SPDX-License-Identifier: MIT
#include "common.hpp"

void finish(deed::handle<double>& h) { std::move(h).unregister(); }

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  finish(a);
  session.insert_task(show, deed::read(a));
}
