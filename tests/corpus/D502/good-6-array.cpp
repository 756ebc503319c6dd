// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <array>

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto theirs = session.register_data(deed::per_rank, 0.0, {.name = "theirs"});
  const int next = (session.rank() + 1) % session.size();
  const int before = (session.rank() + session.size() - 1) % session.size();
  std::array<deed::request, 2> both{
      session.ireceive(deed::write(theirs), deed::from{before}, deed::message_tag{9}),
      session.isend(deed::read(mine), deed::to{next}, deed::message_tag{9})};
  for (auto& one : both) one.wait();
}
