// SPDX-License-Identifier: MIT
#include "common.hpp"

template <class Body>
void for_each_part(std::vector<deed::handle<double>>& parts, Body&& body) {
  int i = 0;
  for (auto& part : parts) body(i++, part);
}

void program(deed::session& session) {
  std::vector<deed::handle<double>> parts;
  for (int i = 0; i < 4; ++i)
    parts.push_back(session.register_data(deed::owner{i % session.size()}, 0.0, {.name = "part"}));
  for_each_part(parts, [&](int, deed::handle<double>& part) {
    session.insert_task(bump, deed::read_write(part));
  });
  std::vector<int> to(parts.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<int>(i) % session.size();
  session.migrate(parts, [&](std::size_t i) { return to[i]; });
  for (auto& part : parts) session.insert_task(bump, deed::read_write(part));
  if (session.rank() == 0) session.gather(deed::read(parts), deed::to{0});
  session.wait();
}
