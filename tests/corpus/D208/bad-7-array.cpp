// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::array<deed::handle<double>, 2> pair{
      session.register_data<double>(deed::owner{0}, deed::uninitialised),
      session.register_data<double>(deed::owner{0}, deed::uninitialised)};
  session.insert_task(bump, deed::read_write(pair[1]));
  session.wait();
}
