// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    constexpr std::size_t half = 32, halo = 2;
    auto c = session.register_data(deed::owner{0}, std::vector<double>(64), {.name = "c"});
    auto parts = session.partition(std::move(c), deed::row_ranges{std::vector<deed::row_range>{{0, half + halo}, {half + halo, 64}}});
    for (auto& part : parts) session.insert_task(clear, deed::write(part));
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
