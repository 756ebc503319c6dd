// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet zero{"zero", [](double& x) { x = 0; }};

// Who has the address of a handle may write its datum.
void clear_all(deed::session& session, const std::vector<deed::handle<double>*>& all) {
  for (auto* each : all) session.insert_task(zero, deed::write(*each));
}

void program(deed::session& session) {
  auto a = session.register_data<double>(deed::owner{0}, deed::uninitialised);
  auto b = session.register_data<double>(deed::owner{0}, deed::uninitialised);
  clear_all(session, {&a});
  for (auto* each : {&b}) session.insert_task(zero, deed::write(*each));
  session.insert_task(add, deed::read_write(a), deed::read(b));
}
