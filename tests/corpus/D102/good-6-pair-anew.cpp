// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::pair<deed::handle<double>, int> one{session.register_data(deed::owner{0}, 1.0), 1};
  std::move(one.first).unregister();
  one = {session.register_data(deed::owner{0}, 1.0), 2};
  session.insert_task(bump, deed::read_write(one.first));
}
