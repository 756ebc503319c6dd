// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ranges>
#include <span>
#include <vector>

namespace {

using deed::load_item;
using std::chrono::nanoseconds;

nanoseconds most_loaded(std::span<const load_item> items, std::span<const int> owners, int ranks) {
  std::vector<nanoseconds> load(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < items.size(); ++i)
    load[static_cast<std::size_t>(owners[i])] += items[i].took;
  return std::ranges::max(load);
}

TEST(balance, moves_few_data_and_leaves_what_is_even) {
  const std::vector<load_item> items{{0, nanoseconds(40)},
                                     {0, nanoseconds(30)},
                                     {0, nanoseconds(30)},
                                     {1, nanoseconds(10)},
                                     {1, nanoseconds(10)}};
  const auto owners = deed::fewest_moves.choose(items, 2);
  EXPECT_EQ(most_loaded(items, owners, 2), nanoseconds(60));
  EXPECT_EQ(std::ranges::count_if(std::views::iota(0u, 5u),
                                  [&](unsigned i) { return owners[i] != items[i].owner; }),
            1);
  const std::vector<load_item> even{{1, nanoseconds(5)}, {0, nanoseconds(5)}};
  EXPECT_EQ(deed::fewest_moves.choose(even, 2), (std::vector{1, 0}));
}

TEST(balance, cuts_a_list_in_pieces_of_neighbours) {
  std::vector<load_item> items(8, {0, nanoseconds(10)});
  items[0].took = items[1].took = nanoseconds(90);
  EXPECT_EQ(deed::in_pieces.choose(items, 3), (std::vector{0, 1, 2, 2, 2, 2, 2, 2}));
}

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;

constexpr deed::codelet relax{
    "relax", [](tile next, const_tile now, const_tile north, const_tile south) {
      for (std::size_t i = 0; i < now.rows(); ++i) {
        for (std::size_t j = 0; j < now.cols(); ++j) {
          const double above = i > 0 ? now(i - 1, j) : north(now.rows() - 1, j);
          const double below = i + 1 < now.rows() ? now(i + 1, j) : south(0, j);
          next(i, j) = now(i, j) / 2 + (above + below) / 4;
        }
      }
    }};

/// A plate in 32 bands, of which the first eight take 20 times as long; with or without balance.
/// The virtual time it took, and the last values.
std::pair<nanoseconds, std::vector<double>> heat(bool balanced) {
  constexpr int ranks = 4, steps = 40;
  constexpr std::size_t bands = 32;
  deed::transport::sim_world world(ranks, {.order = deed::transport::sim_order::by_time});
  std::vector<double> values(bands);
  world.run([&](deed::rank self, deed::transport::endpoint& door) {
    deed::session session({.rank = self.value,
                           .size = ranks,
                           .door = &door,
                           .time = &world.time(),
                           .simulated = true,
                           .pass = [&world, self] { world.pass(self); },
                           .spend = [&world, self](nanoseconds time) { world.spend(self, time); }});
    deed::tiled_matrix<double> now{session,
                                   {.rows = 4 * bands,
                                    .cols = 4,
                                    .tile_rows = 4,
                                    .tile_cols = 4,
                                    .owners = deed::block{ranks},
                                    .initial = 0.0,
                                    .name = "now"}};
    auto next = now.like("next");
    if (session.owns(now(0, 0)))
      (*session.borrow(deed::write(now(0, 0))))(0, 0) = 1000;
    else
      (void)session.relevant(deed::write(now(0, 0)));
    for (int step = 0; step < steps; ++step) {
      for (std::size_t i = 0; i < bands; ++i) {
        session.insert_task(relax, deed::write(next(i, 0)), deed::read(now(i, 0)),
                            deed::read(now(i == 0 ? 0 : i - 1, 0)),
                            deed::read(now(std::min(i + 1, bands - 1), 0)),
                            deed::flops{i < 8 ? 200'000u : 10'000u});
      }
      std::swap(now, next);
      if (balanced && (step == 0 || step == 4)) {
        session.rebalance(now, deed::in_pieces);
        next.migrate(now.owners());
      }
    }
    session.wait();
    for (std::size_t i = 0; i < bands; ++i) {
      if (session.owns(now(i, 0))) values[i] = (*session.borrow(deed::read(now(i, 0))))(2, 0);
    }
    session.close();
  });
  return {world.time().now(), values};
}

TEST(balance, makes_uneven_work_shorter_and_leaves_the_values) {
  const auto [without, expected] = heat(false);
  const auto [with, values] = heat(true);
  EXPECT_EQ(values, expected);
  EXPECT_GE(static_cast<double>(without.count()) / static_cast<double>(with.count()), 1.5);
}

}  // namespace
