// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  const int rank = session.rank();
  std::vector<double> whole(64), part(64);
  auto x = session.register_data(deed::per_rank, deed::in_place(whole));
  auto y = session.register_data(deed::per_rank, deed::in_place(part));
  if (rank == 0) session.send(deed::read(x), deed::to{1}, deed::message_tag{3});
  if (rank == 1) session.receive(deed::write(y), deed::from{0}, deed::message_tag{3});
}
