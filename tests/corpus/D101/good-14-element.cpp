// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <utility>
#include <vector>

void put_back(std::vector<deed::handle<double>>& list, std::size_t i, deed::handle<double> one) {
  list[i] = std::move(one);
}

void program(deed::session& session) {
  std::vector<deed::handle<double>> now, taken;
  for (int i = 0; i < 4; ++i)
    now.push_back(session.register_data(deed::owner{0}, 0.0, {.name = "now"}));
  for (std::size_t i = 0; i < now.size(); ++i) {
    auto held = std::move(now[i]);
    put_back(now, i, std::move(held));
    session.insert_task(bump, deed::read_write(now[i]));
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    auto& name = now[i];
    auto held = std::move(now[i]);
    name = std::move(held);
    session.insert_task(bump, deed::read_write(now[i]));
  }
  for (std::size_t i = 0; i < now.size();) {
    taken.push_back(std::move(now[i]));
    if (++i < now.size()) session.insert_task(bump, deed::read_write(now[i]));
  }
  for (auto& one : taken) session.insert_task(bump, deed::read_write(one));
}
