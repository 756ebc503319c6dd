// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto theirs = session.register_data(deed::per_rank, 0.0, {.name = "theirs"});
  const int next = (session.rank() + 1) % session.size();
  const int before = (session.rank() + session.size() - 1) % session.size();
  std::vector<deed::request> all;
  for (int k = 0; k < 2; ++k) {
    all.clear();
    all.push_back(session.ireceive(deed::write(theirs), deed::from{before}, deed::message_tag{k}));
    all.push_back(session.isend(deed::read(mine), deed::to{next}, deed::message_tag{k}));
    all[0].wait();
    all[1].wait();
  }
}
