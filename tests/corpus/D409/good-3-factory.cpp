// SPDX-License-Identifier: MIT
#include "common.hpp"

struct row {
  int n;
  std::vector<deed::handle<double>> parts;
};

row make(deed::session& session, int n) {
  row made{n, {}};
  for (int i = 0; i < n; ++i)
    made.parts.push_back(
        session.register_data(deed::owner{i % session.size()}, 0.0, {.name = "part"}));
  return made;
}

void program(deed::session& session) {
  row all = make(session, 1);
  for (int k = 0; k < all.n; ++k)
    session.insert_task(bump, deed::read_write(all.parts[static_cast<std::size_t>(k)]),
                        deed::on(deed::rank{(k + 1) % session.size()}));
  session.wait();
}
