// SPDX-License-Identifier: MIT
#include "common.hpp"

struct holder {
  explicit holder(std::span<double> of) : first(of.begin(), of.end()) {}
  std::vector<double> first;
};
std::optional<holder> kept;
std::mutex guard;

constexpr deed::codelet keep{"keep", [](std::span<double> x) {
                               const std::lock_guard lock(guard);
                               x[0] += 1;
                               kept = holder(x);
                             }};

void program(deed::session& session) {
  auto v = session.register_data(deed::owner{0}, std::vector<double>(4), {.name = "v"});
  session.insert_task(keep, deed::read_write(v));
}
