// SPDX-License-Identifier: MIT
// How far a program runs ahead of its tasks.
#include <deed/deed.hpp>

#include "outcomes.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace {

using test::simulated_world;

constexpr int ranks = 3, steps = 2000;
constexpr std::size_t window = 32;

constexpr deed::codelet stir{"stir",
                             [](std::vector<double>& mine, const std::vector<double>& left) {
                               mine.front() += left.front();
                             }};

/// Values that announce themselves before they travel: several frames bring nothing yet.
TEST(window, holds_on_virtual_ranks_that_exchange_large_values) {
  simulated_world([](const test::world& in) {
    deed::session_options options;
    options.window = window;
    std::array<int, ranks> most{};
    const auto all = in.run(
        ranks,
        [&](deed::session& session) {
          std::vector<deed::handle<std::vector<double>>> rows;
          for (int r = 0; r < ranks; ++r)
            rows.push_back(session.register_data(deed::owner{r}, std::vector<double>(8192, 1.0)));
          const auto me = static_cast<std::size_t>(session.rank());
          for (int step = 1; step <= steps; ++step) {
            for (int r = 0; r < ranks; ++r) {
              auto& left = rows[static_cast<std::size_t>((r + 1) % ranks)];
              session.insert_task(stir, deed::read_write(rows[static_cast<std::size_t>(r)]),
                                  deed::read(left));
            }
            most[me] = std::max(most[me], step - static_cast<int>(session.statistics().tasks_run));
          }
          session.wait();
        },
        options);
    for (const test::outcome& each : all) EXPECT_EQ(each.text, "");
    for (const int ahead : most) EXPECT_LE(ahead, static_cast<int>(window) + 1);
  });
}

}  // namespace
