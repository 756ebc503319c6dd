// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::map<std::string, deed::handle<double>> fields;
  fields.emplace("rho", session.register_data(deed::owner{0}, 0.0, {.name = "rho"}));
  fields.emplace("u", session.register_data(deed::owner{0}, 0.0, {.name = "u"}));
  for (auto& [name, field] : fields) session.insert_task(bump, deed::read_write(field));
  session.barrier();
  session.wait();
}
