// SPDX-License-Identifier: MIT
#include "common.hpp"

// A loop that leaves out what is borrowed, or that ends before.
void program(deed::session& session) {
  std::map<std::string, deed::handle<double>> table;
  std::vector<deed::handle<double>> cells, others;
  for (const char* name : {"energy", "mass"})
    table.emplace(name, session.register_data(deed::per_rank, 0.0, {.name = name}));
  for (int i = 0; i < 4; ++i) {
    cells.push_back(session.register_data(deed::per_rank, 0.0));
    others.push_back(session.register_data(deed::per_rank, 0.0));
  }
  {
    auto energy = session.borrow(deed::write(table.at("energy")));
    *energy = 3;
    for (auto& [name, each] : table)
      if (name != "energy") session.insert_task(bump, deed::read_write(each));
    session.insert_task(bump, deed::read_write(table.at("mass")));
    session.wait();
  }
  {
    auto last = session.borrow(deed::write(cells[3]));
    *last = 1;
    int n = 0;
    for (auto& cell : cells) {
      session.insert_task(bump, deed::read_write(cell));
      if (++n == 2) break;
    }
    for (auto& cell : others) session.insert_task(bump, deed::read_write(cell));
    session.wait();
  }
  {
    auto first = session.borrow(deed::read(cells[0]));
    for (auto& cell : cells) session.insert_task(show, deed::read(cell));
    session.wait();
    std::cout << *first;
  }
  for (auto& cell : cells) session.insert_task(bump, deed::read_write(cell));
  session.wait();
}
