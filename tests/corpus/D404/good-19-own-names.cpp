// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::map<std::string, deed::handle<double>> mine;
  if (session.rank() == 0)
    mine.emplace("log", session.register_data(deed::per_rank, 0.0, {.name = "log"}));
  else
    mine.emplace("idle", session.register_data(deed::per_rank, 0.0, {.name = "log"}));
  std::vector<std::string> lines;
  if (session.rank() == 0) lines.emplace_back("begins");
  for (const std::string& line : lines) std::cerr << line;
  session.barrier();
  for (auto& [name, value] : mine) session.insert_task(bump, deed::read_write(value));
  session.wait();
}
