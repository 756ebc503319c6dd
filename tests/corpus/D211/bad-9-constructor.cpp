// SPDX-License-Identifier: MIT
#include "common.hpp"

struct holder {
  explicit holder(std::span<double> of) : first(of.first(1)) { rest = of.subspan(1); }
  std::span<double> first, rest;
};
std::optional<holder> kept;

constexpr deed::codelet keep{"keep", [](std::span<double> x) { kept = holder(x); }};

void program(deed::session& session) {
  auto v = session.register_data(deed::owner{0}, std::vector<double>(4), {.name = "v"});
  session.insert_task(keep, deed::read_write(v));
}
