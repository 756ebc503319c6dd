// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  std::optional<deed::request> sent;
  if (rank == 0) sent = session.isend(deed::read(mine), deed::to{1}, deed::message_tag{1});
  if (rank == 1) session.receive(deed::write(mine), deed::from{0}, deed::message_tag{1});
  session.wait();
}
