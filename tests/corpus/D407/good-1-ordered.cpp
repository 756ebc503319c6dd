// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::map<std::string, deed::handle<double>> fields;
  for (auto& [name, field] : fields) session.insert_task(bump, deed::read_write(field));
}
