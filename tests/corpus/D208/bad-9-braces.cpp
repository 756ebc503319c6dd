// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet follow{"follow", [](double& next, const double& now) { next = now + 1; }};
struct cell {
  deed::handle<double> now, next;
};
// A list of cells, each with two data, of which none has a value.
void program(deed::session& session) {
  std::vector<cell> cells;
  for (int i = 0; i < 4; ++i)
    cells.push_back({session.register_data<double>(deed::owner{0}, deed::uninitialised),
                     session.register_data<double>(deed::owner{0}, deed::uninitialised)});
  for (auto& c : cells) session.insert_task(follow, deed::write(c.next), deed::read(c.now));
  session.wait();
}
