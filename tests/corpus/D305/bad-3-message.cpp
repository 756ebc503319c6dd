// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<double> buffer(100), other(100);
  const int rank = session.rank();
  const int size = session.size();
  auto c = session.register_data(deed::per_rank, deed::in_place(buffer));
  auto sent = session.register_data(deed::per_rank, deed::in_place(other));
  session.receive(deed::write(c), deed::from{(rank + size - 1) % size}, deed::message_tag{1});
  buffer[0] = 2;
  session.send(deed::read(sent), deed::to{(rank + 1) % size}, deed::message_tag{1});
}
