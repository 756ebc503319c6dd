// SPDX-License-Identifier: MIT
#include "common.hpp"

std::span<double> kept;

std::span<double> head(std::span<double> of) {
  const auto first = of.first(1);
  return first;
}

constexpr deed::codelet keep{"keep", [](std::span<double> x) { kept = head(x); }};

void program(deed::session& session) {
  auto v = session.register_data(deed::owner{0}, std::vector<double>(4), {.name = "v"});
  session.insert_task(keep, deed::read_write(v));
}
