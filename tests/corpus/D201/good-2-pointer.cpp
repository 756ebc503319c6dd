// SPDX-License-Identifier: MIT
#include "common.hpp"

double first(const std::vector<double>& all) {
  const double* raw = all.data();
  return raw[0];
}
constexpr deed::codelet it{"it", [](const std::vector<double>& all) { std::cout << first(all); }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, std::vector<double>(8), {.name = "a"});
  session.insert_task(it, deed::read(a));
}
