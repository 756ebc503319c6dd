// SPDX-License-Identifier: MIT
// One datum cut into parts on several ranks, and put together again: row N19.
#include <deed/base/error.hpp>

#include "worlds.hpp"
#include <gmock/gmock.h>

#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace {

using semantics::reports_of;
using semantics::run;
using ::testing::HasSubstr;

using numbers = std::vector<int>;
using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;

constexpr deed::codelet raise{"raise", [](numbers& part, int by) {
                                for (int& each : part) each += by;
                              }};
constexpr deed::codelet grow{"grow", [](numbers& part, int with) { part.push_back(with); }};
constexpr deed::codelet sum_up{"sum_up", [](int& sum, const numbers& all) {
                                 sum = std::accumulate(all.begin(), all.end(), 0);
                               }};
constexpr deed::codelet scale{"scale", [](tile part, double by) {
                                for (std::span<double> row : part) {
                                  for (double& each : row) each *= by;
                                }
                              }};
constexpr deed::codelet set{"set", [](tile part, double to) {
                              for (std::span<double> row : part) {
                                for (double& each : row) each = to;
                              }
                            }};
constexpr deed::codelet double_all{"double_all", [](std::span<double> part) {
                                     for (double& each : part) each *= 2;
                                   }};

numbers counted_from_0(std::size_t count) {
  numbers all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

int spread(std::size_t i, int ranks) { return static_cast<int>(i) % ranks; }

TEST(semantics_N19, parts_of_a_vector_live_on_all_ranks_and_make_the_whole_again) {
  run([](deed::session& session) {
    auto all =
        session.register_data(deed::owner{0}, [] { return counted_from_0(10); }, {.name = "all"});
    const auto owners = [&](std::size_t i) { return spread(i + 1, session.size()); };
    auto parts = session.partition(std::move(all), deed::row_blocks{4}, owners);
    ASSERT_EQ(parts.size(), 4u);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(parts[i].owner(), deed::owner{owners(i)});
      session.insert_task(raise, deed::read_write(parts[i]),
                          deed::value(100 * static_cast<int>(i)));
    }
    all = session.unite(std::move(parts));
    EXPECT_EQ(all.owner(), deed::owner{0});
    session.insert_task(raise, deed::read_write(all), deed::value(1));
    session.fetch(deed::read(all), deed::everywhere);
    const numbers expected{1, 2, 103, 104, 105, 206, 207, 308, 309, 310};
    EXPECT_EQ(*session.borrow(deed::read(all)), expected);
  });
}

TEST(semantics_N19, nothing_blocks_and_a_task_before_is_seen_by_the_parts) {
  run([](deed::session& session) {
    auto all = session.register_data(deed::owner{session.size() - 1}, counted_from_0(6));
    session.insert_task(raise, deed::read_write(all), deed::value(10), deed::on(deed::rank{0}));
    auto opened = session.make_gate("opened");
    auto parts = session.partition(std::move(all), deed::row_blocks{2},
                                   [&](std::size_t i) { return spread(i, session.size()); });
    for (auto& part : parts)
      session.insert_task(raise, deed::read_write(part), deed::value(1), deed::behind(opened));
    all = session.unite(std::move(parts));
    opened.open();  // Only now may the parts change: whoever had waited for them would wait still.
    session.fetch(deed::read(all), deed::everywhere);
    EXPECT_EQ(*session.borrow(deed::read(all)), (numbers{11, 12, 13, 14, 15, 16}));
  });
}

TEST(semantics_N19, a_vector_becomes_as_long_as_its_parts) {
  run([](deed::session& session) {
    auto all = session.register_data(deed::owner{0}, counted_from_0(5), {.name = "all"});
    auto parts = session.partition(std::move(all), deed::row_ranges{{0, 1}, {1, 1}, {1, 5}},
                                   [&](std::size_t i) { return spread(i, session.size()); });
    session.insert_task(grow, deed::read_write(parts[0]), deed::value(70));
    session.insert_task(grow, deed::read_write(parts[1]), deed::value(80));
    all = session.unite(std::move(parts));
    session.fetch(deed::read(all), deed::everywhere);
    EXPECT_EQ(*session.borrow(deed::read(all)), (numbers{0, 70, 80, 1, 2, 3, 4}));
  });
}

TEST(semantics_N19, a_tile_is_cut_in_two_directions) {
  run([](deed::session& session) {
    deed::tiled_matrix<double> m{
        session,
        {.rows = 5, .cols = 7, .tile_rows = 5, .tile_cols = 7, .initial = 1.0, .name = "m"}};
    auto parts = session.partition(std::move(m(0, 0)), deed::grid_blocks{2, 3},
                                   [&](std::size_t i) { return spread(i, session.size()); });
    ASSERT_EQ(parts.size(), 6u);
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 3; ++j)
        session.insert_task(scale, deed::read_write(parts(i, j)),
                            deed::value(static_cast<double>(10 * i + j)));
    }
    m(0, 0) = session.unite(std::move(parts));
    session.fetch(deed::read(m(0, 0)), deed::everywhere);
    const auto lent = session.borrow(deed::read(m(0, 0)));
    const const_tile seen = *lent;
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 7; ++j) {
        const std::size_t row = i < 2 ? 0 : 1, col = j < 2 ? 0 : j < 4 ? 1 : 2;
        EXPECT_EQ(seen(i, j), static_cast<double>(10 * row + col)) << i << ", " << j;
      }
    }
  });
}

TEST(semantics_N19, memory_of_the_program_gets_what_its_parts_have) {
  run([](deed::session& session) {
    std::vector<double> memory(9, 1.5);
    {
      auto all = session.register_data(deed::owner{0}, deed::in_place(memory), {.name = "all"});
      auto parts = session.partition(std::move(all), deed::row_blocks{3},
                                     [&](std::size_t i) { return spread(i, session.size()); });
      session.insert_task(double_all, deed::read_write(parts[1]));
      session.migrate(parts[1], deed::owner{session.size() - 1});
      session.insert_task(double_all, deed::read_write(parts[1]));
      all = session.unite(std::move(parts));
      session.wait();
    }
    EXPECT_EQ(memory[2], 1.5);
    EXPECT_EQ(memory[3], session.rank() == 0 ? 6.0 : 1.5);
    EXPECT_EQ(memory[6], 1.5);
  });
}

TEST(semantics_N19, parts_of_what_has_no_value_have_none) {
  run([](deed::session& session) {
    deed::tiled_matrix<double> m{
        session, {.rows = 4, .cols = 2, .tile_rows = 4, .tile_cols = 2, .name = "m"}};
    auto parts = session.partition(std::move(m(0, 0)), deed::row_blocks{2},
                                   [&](std::size_t i) { return spread(i, session.size()); });
    EXPECT_THROW(session.insert_task(scale, deed::read_write(parts[0]), deed::value(1.0)),
                 deed::error);
    session.insert_task(set, deed::write(parts[0]), deed::value(1.0));
    EXPECT_THROW(static_cast<void>(session.unite(std::move(parts))), deed::error);
    session.insert_task(set, deed::write(parts[1]), deed::value(2.0));
    m(0, 0) = session.unite(std::move(parts));
    session.fetch(deed::read(m(0, 0)), deed::everywhere);
    const auto lent = session.borrow(deed::read(m(0, 0)));
    EXPECT_EQ((*lent)(1, 1), 1.0);
    EXPECT_EQ((*lent)(2, 0), 2.0);
  });
}

TEST(semantics_N19, every_rank_cuts_its_own_per_rank_datum) {
  run([](deed::session& session) {
    auto mine = session.register_data(deed::per_rank, numbers(4, session.rank()));
    auto parts = session.partition(std::move(mine), deed::row_blocks{2});
    session.insert_task(raise, deed::read_write(parts[1]), deed::value(50));
    mine = session.unite(std::move(parts));
    const int me = session.rank();
    EXPECT_EQ(*session.borrow(deed::read(mine)), (numbers{me, me, me + 50, me + 50}));
  });
}

TEST(semantics_N19, parts_are_cut_again) {
  run([](deed::session& session) {
    auto all = session.register_data(deed::owner{0}, counted_from_0(8), {.name = "all"});
    auto halves = session.partition(std::move(all), deed::row_blocks{2},
                                    [&](std::size_t i) { return spread(i + 1, session.size()); });
    auto quarters = session.partition(std::move(halves[1]), deed::row_blocks{2});
    session.insert_task(raise, deed::read_write(quarters[1]), deed::value(10));
    halves[1] = session.unite(std::move(quarters));
    all = session.unite(std::move(halves));
    auto sum = session.register_data(deed::owner{session.size() - 1}, 0);
    session.insert_task(sum_up, deed::write(sum), deed::read(all));
    session.fetch(deed::read(sum), deed::everywhere);
    EXPECT_EQ(*session.borrow(deed::read(sum)), 28 + 20);
  });
}

TEST(semantics_N19, using_the_whole_meanwhile_is_refused) {
  const std::string told = reports_of([](deed::session& session) {
    auto all = session.register_data(deed::owner{0}, counted_from_0(8), {.name = "all"});
    auto parts = session.partition(std::move(all), deed::row_blocks{4});
    session.insert_task(raise, deed::read_write(all), deed::value(1));
  });
  EXPECT_THAT(told, HasSubstr("deed[D116] `all` is used while it is partitioned"));
  EXPECT_THAT(told, HasSubstr(", into 4 parts"));
}

}  // namespace
