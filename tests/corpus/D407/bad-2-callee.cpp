// SPDX-License-Identifier: MIT
#include "common.hpp"

void step(deed::session& session, deed::handle<double>& h) {
  session.insert_task(bump, deed::read_write(h));
}

void program(deed::session& session) {
  std::unordered_map<std::string, deed::handle<double>> fields;
  for (auto& [name, field] : fields) step(session, field);
}
