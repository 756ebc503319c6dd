// SPDX-License-Identifier: MIT
#include "common.hpp"

// The owner alone looks at the value; what it finds is agreed on by its opposite.
void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  bool small = false;
  if (session.owns(a)) {
    const auto value = session.borrow(deed::read(a));
    small = *value < 3;
    if (*value < 3 && session.size() > 1)
      session.send(deed::read(mine), deed::to{1}, deed::message_tag{1});
  }
  const bool large = !session.any(small);
  if (large) return;
  if (session.rank() == 1) session.receive(deed::write(mine), deed::from{0}, deed::message_tag{1});
}
