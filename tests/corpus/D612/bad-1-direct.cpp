// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<double> buffer(100);
  auto c = session.register_data(deed::owner{0}, deed::in_place(buffer));
  session.migrate(c, deed::owner{1});
  std::move(c).unregister();
}
