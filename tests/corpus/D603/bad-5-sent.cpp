// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{std::plus<>{}, 0.0});
  const int rank = session.rank();
  session.insert_task(add, deed::reduce(total), deed::read(b));
  if (rank == 0) session.send(deed::read(total), deed::to{1}, deed::message_tag{1});
  if (rank == 1) session.receive(deed::write(b), deed::from{0}, deed::message_tag{1});
}
