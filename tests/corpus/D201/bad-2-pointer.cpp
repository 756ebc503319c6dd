// SPDX-License-Identifier: MIT
#include "common.hpp"

void scale(const std::vector<double>& all) {
  double* raw = const_cast<double*>(all.data());
  raw[0] = 2;
}
constexpr deed::codelet it{"it", [](const std::vector<double>& all) { scale(all); }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, std::vector<double>(8), {.name = "a"});
  session.insert_task(it, deed::read(a));
}
