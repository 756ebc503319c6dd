// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <vector>

void wait_for(std::vector<deed::request>& pending) {
  for (auto& one : pending) one.wait();
}

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto theirs = session.register_data(deed::per_rank, 0.0, {.name = "theirs"});
  const int rank = session.rank(), size = session.size();
  std::vector<deed::request> pending, kept;
  const auto keep = [&](deed::request one) { kept.push_back(std::move(one)); };
  for (int tag = 1; tag <= 2; ++tag) {
    pending.push_back(session.ireceive(deed::write(theirs), deed::from{(rank + size - 1) % size},
                                       deed::message_tag{tag}));
    keep(session.isend(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{tag}));
  }
  wait_for(pending);
  pending.clear();
  pending.swap(kept);
  wait_for(pending);
}
