// SPDX-License-Identifier: MIT
#include "common.hpp"

struct cell {
  deed::handle<double> now;
  int index;
};
// An object with a name is put into the list.
void program(deed::session& session) {
  std::vector<cell> cells;
  for (int i = 0; i < 4; ++i) {
    cell one{session.register_data<double>(deed::owner{0}, deed::uninitialised), i};
    cells.push_back(std::move(one));
  }
  for (auto& c : cells) session.insert_task(show, deed::read(c.now));
  session.wait();
}
