// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  auto whole = session.register_data(deed::per_rank, std::vector<double>(64));
  auto taken = session.register_data(deed::per_rank, std::vector<double>(32));
  if (rank == 0) session.send(deed::read(whole), deed::to{1}, deed::message_tag{3});
  if (rank == 1) session.receive(deed::write(taken), deed::from{0}, deed::message_tag{3});
}
