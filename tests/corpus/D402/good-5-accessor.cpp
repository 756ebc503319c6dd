// SPDX-License-Identifier: MIT
#include "common.hpp"

// A triangle of blocks, which a method of its class looks up.
class blocks {
 public:
  blocks(deed::session& session, int rows) : rows_(rows) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j <= i; ++j)
        all_.emplace(std::pair{i, j},
                     session.register_data(deed::owner{(i + j) % session.size()}, 1.0));
    }
  }
  deed::handle<double>& operator()(int i, int j) { return all_.at({i, j}); }
  int rows() const { return rows_; }

 private:
  int rows_;
  std::map<std::pair<int, int>, deed::handle<double>> all_;
};

void program(deed::session& session) {
  blocks a(session, 4);
  for (int k = 0; k < a.rows(); ++k) {
    for (int i = k + 1; i < a.rows(); ++i) {
      if (session.owns(a(i, k)) || session.owns(a(k, k)))
        session.insert_task(add, deed::read_write(a(i, k)), deed::read(a(k, k)));
    }
  }
  session.wait();
}
