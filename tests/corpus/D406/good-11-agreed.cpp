// SPDX-License-Identifier: MIT
#include "common.hpp"

// What some ranks alone have read decides about what they do alone, or is agreed on first.
void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
  auto mine = session.register_data(deed::per_rank, 1.0);
  std::vector<deed::handle<double>> cells;
  for (int i = 0; i < 8; ++i)
    cells.push_back(session.register_data(deed::owner{i % session.size()}, 1.0));
  bool found = false;
  for (auto& c : cells) {
    if (!session.owns(c)) continue;
    const auto view = session.borrow(deed::read(c));
    if (*view > 1) {
      found = true;
      break;
    }
  }
  if (found) std::cout << "found";
  for (auto& c : cells) {
    if (session.owns(c)) {
      const auto view = session.borrow(deed::read(c));
      if (*view > 7) break;
    }
    session.insert_task(bump, deed::read_write(mine));
  }
  double error = 1;
  while (error > 1e-1) {
    session.insert_task(bump, deed::read_write(x));
    double own = 0;
    if (session.owns(x)) own = 1 / *session.borrow(deed::read(x));
    error = session.all_reduce(deed::value(own), std::plus<>{});
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::steady_clock::now() - begin; };
  for (int i = 0; i < 10; ++i) {
    session.insert_task(bump, deed::read_write(x));
    if (session.any(passed() > std::chrono::seconds(1))) break;
  }
  if (session.rank() == 0) {
    for (int i = 0; i < 10 && passed() < std::chrono::seconds(1); ++i) std::cout << i;
  }
  session.wait();
}
