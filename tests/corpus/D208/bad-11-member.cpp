// SPDX-License-Identifier: MIT
#include "common.hpp"

struct cell {
  deed::handle<double> now;
  int index;
};
// The list is a member.
class grid {
 public:
  explicit grid(deed::session& s) : s_(s) {
    for (int i = 0; i < 4; ++i)
      cells_.push_back({s.register_data<double>(deed::owner{0}, deed::uninitialised), i});
  }
  void show_all() {
    for (auto& c : cells_) s_.insert_task(show, deed::read(c.now));
  }

 private:
  deed::session& s_;
  std::vector<cell> cells_;
};
void program(deed::session& session) {
  grid g(session);
  g.show_all();
  session.wait();
}
