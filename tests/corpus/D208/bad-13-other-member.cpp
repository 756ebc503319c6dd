// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet set{"set", [](double& x) { x = 1; }};
struct cell {
  deed::handle<double> now, next;
};
// The other member is written.
void program(deed::session& session) {
  std::vector<cell> cells;
  for (int i = 0; i < 4; ++i)
    cells.push_back({session.register_data<double>(deed::owner{0}, deed::uninitialised),
                     session.register_data<double>(deed::owner{0}, deed::uninitialised)});
  for (auto& c : cells) session.insert_task(set, deed::write(c.next));
  for (auto& c : cells) session.insert_task(show, deed::read(c.now));
  session.wait();
}
