// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto theirs = session.register_data(deed::per_rank, 0.0, {.name = "theirs"});
  const int next = (session.rank() + 1) % session.size();
  const int before = (session.rank() + session.size() - 1) % session.size();
  std::vector<deed::request> all;
  all.push_back(session.ireceive(deed::write(theirs), deed::from{before}, deed::message_tag{0}));
  all.push_back(session.isend(deed::read(mine), deed::to{next}, deed::message_tag{0}));
  all[0].wait();
  const std::size_t first = static_cast<std::size_t>(session.size()) / 100;
  all[first] = session.ireceive(deed::write(theirs), deed::from{before}, deed::message_tag{1});
  session.send(deed::read(mine), deed::to{next}, deed::message_tag{1});
  all[0].wait();
  all[1].wait();
}
