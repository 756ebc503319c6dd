// SPDX-License-Identifier: MIT
#include "common.hpp"

struct base {
  explicit base(std::span<double> of) : first(of) {}
  std::span<double> first;
};
struct holder : base {
  explicit holder(std::span<double> of) : base(of.first(1)) {}
};

constexpr deed::codelet keep{"keep", [](std::span<double> x) {
                               const holder part(x);
                               part.first[0] += 1;
                             }};

void program(deed::session& session) {
  auto v = session.register_data(deed::owner{0}, std::vector<double>(4), {.name = "v"});
  session.insert_task(keep, deed::read_write(v));
}
