// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    const int rank = session.rank();
    std::vector<double> whole(64), part(32);
    auto x = session.register_data(deed::per_rank, deed::in_place(whole));
    auto y = session.register_data(deed::per_rank, deed::in_place(part));
    if (rank == 0) session.send(deed::read(x), deed::to{1}, deed::message_tag{3});
    if (rank == 1) session.receive(deed::write(y), deed::from{0}, deed::message_tag{3});  // D509
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
