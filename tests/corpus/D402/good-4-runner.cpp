// SPDX-License-Identifier: MIT
#include "common.hpp"

// The guard names the runner, too.
void program(deed::session& session) {
  const deed::rank last{session.size() - 1};
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  if (session.relevant(deed::read_write(a), deed::on(last)))
    session.insert_task(bump, deed::read_write(a), deed::on(last));
}
