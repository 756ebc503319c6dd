// SPDX-License-Identifier: MIT
#include "common.hpp"

struct cell {
  deed::handle<double> now;
  int index;
};
// By name.
void program(deed::session& session) {
  std::map<std::string, cell> cells;
  for (const char* n : {"a", "b"})
    cells.emplace(n, cell{session.register_data<double>(deed::owner{0}, deed::uninitialised), 1});
  for (auto& [name, c] : cells) session.insert_task(show, deed::read(c.now));
  session.wait();
}
