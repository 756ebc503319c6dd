// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  std::map<std::string, deed::handle<double>> fields;
  fields.emplace("u", session.register_data(deed::owner{0}, 0.0));
  fields.emplace("v", session.register_data(deed::owner{0}, 0.0));
  for (auto& [name, field] : fields) session.insert_task(bump, deed::read_write(field));
}

void program(deed::session& session) {
  act(session);
}
