// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const char* path = std::getenv("INPUT");
  if (path == nullptr) throw std::runtime_error("no input");
  session.wait();
}
