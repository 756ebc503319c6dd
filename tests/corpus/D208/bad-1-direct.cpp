// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto c = session.register_data<double>(deed::owner{0}, deed::uninitialised);
  session.insert_task(show, deed::read(c));
}
