// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet it{"it", [](double& x) {
  try {
    x = std::sqrt(x);
  } catch (const std::exception&) {
    x = 0;
  }
  throw std::domain_error{"done"};  // D807
}};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
}
