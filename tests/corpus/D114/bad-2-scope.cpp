// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<double> kept(1);
  auto c = session.register_data(deed::owner{0}, deed::in_place(kept), {.name = "c"});
  std::move(c).unregister();
  {
    std::vector<double> rows(100);
    c = session.register_data(deed::owner{0}, deed::in_place(rows), {.name = "c"});
    session.insert_task(clear, deed::write(c));
  }
  session.wait();
}
