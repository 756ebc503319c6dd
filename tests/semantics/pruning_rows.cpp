// SPDX-License-Identifier: MIT
// Leaving out what does not concern a rank: row R71.
#include <deed/base/error.hpp>

#include "worlds.hpp"
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

using deed::read;
using deed::read_write;
using deed::write;
using semantics::run;

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;

constexpr deed::codelet relax{
    "relax", [](tile next, const_tile now, const_tile north, const_tile south, const_tile west,
                const_tile east) {
      for (std::size_t i = 0; i < next.rows(); ++i) {
        for (std::size_t j = 0; j < next.cols(); ++j)
          next(i, j) = (now(i, j) + north(i, j) + south(i, j) + west(i, j) + east(i, j)) / 5;
      }
    }};
constexpr deed::codelet set{"set", [](tile x, double to) {
                              for (std::span<double> row : x) {
                                for (double& each : row) each = to;
                              }
                            }};
constexpr deed::codelet sum_up{"sum_up", [](double& sum, const_tile x) {
                                 for (std::span<const double> row : x) {
                                   for (const double each : row) sum += each;
                                 }
                               }};

/// What one way to submit leads to.
struct outcome {
  std::vector<double> sums;
  std::uint64_t transfers = 0, submitted = 0;
};

std::uint64_t transfers_from(const deed::session& session) {
  std::uint64_t sum = 0;
  for (const auto& [peer, sent] : session.statistics().sent_to) sum += sent.transfers;
  return sum;
}

/// Heat, with a writer on another rank now and then, and reads of all tiles far from their owners.
template <class Submit>
outcome heat(deed::session& session, Submit&& each_tile) {
  const std::uint64_t before = transfers_from(session);
  const std::uint64_t submitted = session.statistics().tasks_submitted;
  deed::tiled_matrix<double> now{
      session, {.rows = 18, .cols = 15, .tile_rows = 3, .tile_cols = 3, .name = "now"}};
  auto next = now.like("next");
  const auto first = [&](deed::tiled_matrix<double>& m) {
    each_tile(m.indices(), set, [&](std::size_t i, std::size_t j) {
      return std::tuple{write(m(i, j)), deed::value(static_cast<double>(i * 7 + j * j))};
    });
  };
  first(now);
  first(next);
  for (int step = 0; step < 5; ++step) {
    each_tile(now.interior(), relax, [&](std::size_t i, std::size_t j) {
      return std::tuple{write(next(i, j)),   read(now(i, j)),     read(now(i - 1, j)),
                        read(now(i + 1, j)), read(now(i, j - 1)), read(now(i, j + 1))};
    });
    std::swap(now, next);
    each_tile(now.interior(), set, [&](std::size_t i, std::size_t j) {
      const int where = static_cast<int>(i + 2 * j) % session.size();
      return std::tuple{write(next(i, j)), deed::value(1.0), deed::on(deed::rank{where})};
    });
  }
  std::vector<deed::handle<double>> sums;
  for (auto [i, j] : now.indices()) {
    const deed::owner target{static_cast<int>(i * 3 + j) % session.size()};
    sums.push_back(session.register_data(target, 0.0, {.name = "sum"}));
  }
  each_tile(now.indices(), sum_up, [&](std::size_t i, std::size_t j) {
    return std::tuple{read_write(sums[i * now.tile_cols() + j]), read(now(i, j))};
  });
  session.wait();
  outcome result{.sums = {},
                 .transfers = transfers_from(session) - before,
                 .submitted = session.statistics().tasks_submitted - submitted};
  for (const auto& each : sums) {
    if (session.owns(each)) result.sums.push_back(*session.borrow(read(each)));
  }
  return result;
}

TEST(semantics_R71, leaving_out_what_does_not_concern_a_rank_changes_nothing) {
  run([](deed::session& session) {
    const outcome pruned = heat(session, [&](const auto& tiles, const auto& task, auto&& named) {
      deed::for_each_tile(session, tiles, task, named);
    });
    const outcome whole = heat(session, [&](const auto& tiles, const auto& task, auto&& named) {
      for (auto [i, j] : tiles) {
        auto all = named(i, j);
        std::apply([&](auto&... each) { session.insert_task(task, each...); }, all);
      }
    });
    EXPECT_EQ(pruned.sums, whole.sums);
    EXPECT_EQ(pruned.transfers, whole.transfers);
    if (session.size() > 3) {
      EXPECT_LT(pruned.submitted, whole.submitted);
    }
    EXPECT_LE(pruned.submitted, whole.submitted);
  });
}

constexpr deed::codelet increase{"increase", [](int& x) { ++x; }};
constexpr deed::codelet add{"add", [](int& sum, const int& x) { sum += x; }};

/// Tasks on the first two ranks, and what this rank took part in.
struct replicated {
  int value = 0;  // Here.
  int inserted = 0;
  std::uint64_t transfers = 0;
};
template <class Concerns>
replicated on_first_two(deed::session& session, Concerns&& concerns) {
  const std::uint64_t before = transfers_from(session);
  const int size = session.size();
  const std::vector<deed::rank> pair{deed::rank{0}, deed::rank{1}};
  auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
  auto y = session.register_data(deed::owner{size - 1}, 10, {.name = "y"});
  replicated result;
  const auto submit = [&](const auto& task, auto... named) {
    if (!concerns(named...)) return;
    ++result.inserted;
    session.insert_task(task, named...);
  };
  for (int step = 0; step < 4; ++step) {
    submit(increase, read_write(x), deed::on_each{pair});
    submit(add, read_write(x), read(y), deed::on_each{pair});
    // Now and then a copy far away becomes stale by it, and is read again.
    if (step % 2 == 0) session.fetch(read(x), deed::to{size - 1});
    session.insert_task(increase, read_write(y));
  }
  session.fetch(read(x), deed::everywhere);
  result.value = *session.borrow(read(x));
  session.wait();
  result.transfers = transfers_from(session) - before;
  return result;
}

TEST(semantics_R71, a_task_on_each_of_some_ranks_is_left_out_by_the_others) {
  for (const bool compares : {false, true}) {
    run(
        [](deed::session& session) {
          const replicated pruned = on_first_two(
              session, [&](const auto&... named) { return session.relevant(named...); });
          const replicated whole = on_first_two(session, [](const auto&...) { return true; });
          EXPECT_EQ(pruned.value, 1 + 4 + 10 + 11 + 12 + 13);
          EXPECT_EQ(whole.value, pruned.value);
          EXPECT_EQ(pruned.transfers, whole.transfers);
          const int rank = session.rank();
          const int others = rank == session.size() - 1 ? 4 : 0;  // It owns `y`.
          EXPECT_EQ(pruned.inserted, rank < 2 ? 8 : others);
        },
        2, {.checks = {.global = compares}});
  }
}

TEST(semantics_R71, a_task_on_each_of_some_ranks_that_are_wrong_is_refused_by_its_name) {
  run(
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
        const deed::on_each others{{deed::rank{1}}};
        ASSERT_TRUE(session.relevant(read_write(x), others));
        try {
          session.insert_task(increase, read_write(x), others);
          FAIL() << "its owner is not among them";
        } catch (const deed::error& refused) {
          EXPECT_EQ(std::string_view(refused.what()).substr(0, 10), "deed[D401]");
        }
      },
      2);
}

}  // namespace
