// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, 0.0);
  bool read = false;
  std::thread reader([&] { read = true; });
  reader.join();
  if (session.rank() == 0 && !read) return;
  session.insert_task(bump, deed::read_write(c));
  session.wait();
}
