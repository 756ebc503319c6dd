// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet set{"set", [](double& x) { x = 1; }};
using cells = std::vector<deed::handle<double>>;

cells make(deed::session& session) {
  cells made;
  for (int i = 0; i < 4; ++i)
    made.push_back(session.register_data<double>(deed::owner{0}, deed::uninitialised));
  return made;
}
void fill(deed::session& session, cells& all) {
  for (auto& one : all) session.insert_task(set, deed::write(one));
}
void look(deed::session& session, cells& all) {
  for (auto& one : all) session.insert_task(show, deed::read(one));
}

// Lists that are filled: by a loop, a function, a lambda, another name, or for some of the
// elements.
void program(deed::session& session) {
  cells by_loop, by_function = make(session), by_lambda, by_view, by_pointer, mixed;
  for (int i = 0; i < 4; ++i) {
    for (cells* each : {&by_loop, &by_lambda, &by_view, &by_pointer})
      each->push_back(session.register_data<double>(deed::owner{0}, deed::uninitialised));
    mixed.push_back(session.register_data(deed::owner{0}, 1.0));
    mixed.push_back(session.register_data<double>(deed::owner{0}, deed::uninitialised));
  }
  for (std::size_t i = 0; i < by_loop.size(); ++i)
    session.insert_task(set, deed::write(by_loop[i]));
  fill(session, by_function);
  std::ranges::for_each(by_lambda, [&](auto& one) { session.insert_task(set, deed::write(one)); });
  for (auto& one : std::span(by_view)) session.insert_task(set, deed::write(one));
  for (auto* one = by_pointer.data(); one != by_pointer.data() + by_pointer.size(); ++one)
    session.insert_task(set, deed::write(*one));
  for (std::size_t i = 1; i < mixed.size(); i += 2) session.insert_task(set, deed::write(mixed[i]));
  for (cells* each : {&by_loop, &by_function, &by_lambda, &by_view, &by_pointer, &mixed})
    look(session, *each);
  look(session, by_lambda);
  for (auto& one : by_view) session.insert_task(show, deed::read(one));
  for (auto& one : by_pointer) session.insert_task(show, deed::read(one));
  for (auto& one : mixed) session.insert_task(show, deed::read(one));
  std::map<std::string, deed::handle<double>> table;
  for (const char* name : {"energy", "mass"})
    table.emplace(name, session.register_data<double>(deed::owner{0}, deed::uninitialised));
  if (auto it = table.find("mass"); it != table.end())
    session.insert_task(set, deed::write(it->second));
  session.insert_task(set, deed::write(table.at("energy")));
  for (auto& [name, one] : table) session.insert_task(show, deed::read(one));
  cells again;
  for (int i = 0; i < 4; ++i) {
    again.push_back(session.register_data<double>(deed::owner{0}, deed::uninitialised));
    session.insert_task(set, deed::write(again.back()));
    session.insert_task(show, deed::read(again[0]));
  }
  session.wait();
}
