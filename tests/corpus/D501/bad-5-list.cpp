// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <vector>

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto theirs = session.register_data(deed::per_rank, 0.0, {.name = "theirs"});
  const int rank = session.rank(), size = session.size();
  std::vector<deed::request> pending;
  for (int tag = 1; tag <= 2; ++tag) {
    pending.push_back(session.ireceive(deed::write(theirs), deed::from{(rank + size - 1) % size},
                                       deed::message_tag{tag}));
    session.send(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{tag});
  }
  session.wait();
}
