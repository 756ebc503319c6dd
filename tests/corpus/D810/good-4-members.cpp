// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <array>

struct counters {
  std::atomic<int> hits = 0;
  std::array<std::atomic<int>, 2> by_kind{};
  const int most = 8;
};
struct named_counters : counters {
  std::atomic<bool> any = false;
};
named_counters seen;
std::array<counters, 2> by_rank;

constexpr deed::codelet it{"it", [](double& x) {
                             x += seen.most;
                             ++seen.hits;
                             ++seen.by_kind[1];
                             seen.any = true;
                             by_rank[0].hits = 1;
                           }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a));
}
