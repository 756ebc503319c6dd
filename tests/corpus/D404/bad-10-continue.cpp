// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 1.0, {.name = "b"});
  std::vector<deed::handle<double>> x;
  x.push_back(std::move(a));
  x.push_back(std::move(b));
  for (auto& one : x) {
    if (!session.owns(one)) continue;
    session.fetch(deed::read(one), deed::to{0});
  }
}
