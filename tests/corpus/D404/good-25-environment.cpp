// SPDX-License-Identifier: MIT
#include "common.hpp"

// What a user says in the environment is mostly the same for all ranks.
long setting(const char* variable, long otherwise) {
  const char* text = std::getenv(variable);
  return text && *text ? std::atol(text) : otherwise;
}

void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 0.0);
  const long steps = setting("STEPS", 3);
  for (long i = 0; i < steps; ++i) session.insert_task(bump, deed::read_write(x));
  for (long i = 0; i < setting("ROUNDS", 2); ++i) session.barrier();
  session.wait();
}
