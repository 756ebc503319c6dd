// SPDX-License-Identifier: MIT
#include "common.hpp"

class grid {
 public:
  explicit grid(deed::session& session) : session_(session) {
    for (int i = 0; i < 4; ++i)
      cells_.push_back(session.register_data(deed::owner{i % session.size()}, 1.0));
  }
  void drop(int i) { std::move(cells_[i]).unregister(); }
  void step() {
    for (auto& each : cells_) session_.insert_task(show, deed::read(each));
  }

 private:
  deed::session& session_;
  std::vector<deed::handle<double>> cells_;
};

void program(deed::session& session) {
  grid one(session);
  one.step();
  one.drop(2);
  one.step();
}
