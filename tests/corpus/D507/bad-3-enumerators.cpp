// SPDX-License-Identifier: MIT
#include "common.hpp"

enum message : int { halo = 3, corner = 4 };

void program(deed::session& session) {
  auto x = session.register_data(deed::per_rank, 0.0, {.name = "x"});
  if (session.rank() == 0)
    session.send(deed::read(x), deed::to{1}, deed::message_tag{static_cast<int>(halo)});
  if (session.rank() == 1)
    session.receive(deed::write(x), deed::from{0}, deed::message_tag{static_cast<int>(corner)});
}
