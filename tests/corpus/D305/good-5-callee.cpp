// SPDX-License-Identifier: MIT
#include "common.hpp"

void start(deed::session& session, deed::handle<std::span<double>>& h) {
  session.insert_task(clear, deed::write(h));
  session.wait();
}
double first(const std::vector<double>& v) { return v[0]; }

void program(deed::session& session) {
  std::vector<double> buffer(100);
  auto c = session.register_data(deed::owner{0}, deed::in_place(buffer));
  start(session, c);
  std::cout << first(buffer);
}
