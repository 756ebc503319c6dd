// SPDX-License-Identifier: MIT
#include "common.hpp"

// A loop over a table takes the entry that is borrowed, too.
template <class Map>
void advance_all(deed::session& session, Map& table) {
  for (auto& [name, each] : table) session.insert_task(bump, deed::read_write(each));
  session.wait();
}

void program(deed::session& session) {
  std::map<std::string, deed::handle<double>> table;
  for (const char* name : {"energy", "mass"})
    table.emplace(name, session.register_data(deed::per_rank, 0.0, {.name = name}));
  auto energy = session.borrow(deed::write(table.at("energy")));
  *energy = 3;
  advance_all(session, table);
}
