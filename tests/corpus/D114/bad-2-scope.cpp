// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  std::vector<double> kept(1);
  auto c = session.register_data(deed::owner{0}, deed::in_place(kept));
  {
    std::vector<double> rows(100);
    c = session.register_data(deed::owner{0}, deed::in_place(rows));
    session.insert_task(clear, deed::write(c));
  }
  session.wait();
}
