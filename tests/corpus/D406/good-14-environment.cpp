// SPDX-License-Identifier: MIT
#include "common.hpp"

// What a user says in the environment, or on the command line, is the same for all ranks.
void program(deed::session& session, deed::arguments given) {
  auto x = session.register_data(deed::owner{0}, 0.0);
  for (int i = 0; i < std::atoi(std::getenv("STEPS")); ++i)
    session.insert_task(bump, deed::read_write(x));
  for (int i = 0; i < std::stoi(given[0]); ++i) session.insert_task(bump, deed::read_write(x));
  for (int i = 0; i < std::stoi("3"); ++i) session.insert_task(bump, deed::read_write(x));
  for (int i = 0; i < 100; ++i) {
    session.insert_task(bump, deed::read_write(x));
    if (std::getenv("ONCE") != nullptr) break;
  }
  if (std::getenv("MEASURE") != nullptr) session.barrier();
  session.wait();
}
