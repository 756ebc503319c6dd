// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(add, deed::read_write(mine), deed::read(a), deed::on_each{deed::everywhere});
}
