// SPDX-License-Identifier: MIT
// Who runs a task: rows R54, R63, R77 to R81.
#include <deed/base/error.hpp>
#include <deed/base/random.hpp>

#include "worlds.hpp"
#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using semantics::run;
using ::testing::HasSubstr;

using big = std::array<std::uint64_t, 4>;
constexpr deed::codelet exchange{"exchange",
                                 [](std::uint64_t& x, std::uint64_t& y) { std::swap(x, y); }};
constexpr deed::codelet mix_in{
    "mix_in", [](std::uint64_t& x, std::uint64_t& y, const std::uint64_t& z, const big& all) {
      x = deed::mix(x, z + all[0]);
      y = deed::mix(y, x);
    }};
constexpr deed::codelet look{"look", [](const std::uint64_t&, const big&) {}};

constexpr deed::selection_policy last_rank{
    "last_rank", [](const deed::task_view& task) { return deed::rank{task.ranks() - 1}; }};
constexpr deed::selection_policy nobody{"nobody",
                                        [](const deed::task_view&) { return deed::rank{99}; }};
// The manual's: the owner of the first datum read that is large, else rank 0.
constexpr deed::selection_policy large_first{"large_first", [](const deed::task_view& task) {
                                               for (const deed::task_part& part : task.parts())
                                                 if (reads(part.mode()) && part.bytes() > 16)
                                                   return part.owner();
                                               return deed::rank{0};
                                             }};
template <int number>
constexpr deed::selection_policy numbered{
    "numbered", [](const deed::task_view& task) { return deed::rank{number % task.ranks()}; }};

TEST(semantics_R54, all_ranks_choose_alike_under_every_policy) {
  run([](deed::session& session) {
    deed::random_source random{7};
    const auto below = [&](int n) {
      return static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
    };
    std::vector<deed::handle<std::uint64_t>> numbers;
    std::vector<deed::handle<big>> large;
    std::vector<std::uint64_t> expected;
    for (int i = 0; i < 8; ++i) {
      numbers.push_back(
          session.register_data(deed::owner{below(session.size())}, static_cast<std::uint64_t>(i)));
      large.push_back(session.register_data(deed::owner{below(session.size())}, big{1, 2, 3, 4}));
      expected.push_back(static_cast<std::uint64_t>(i));
    }
    const std::array policies{deed::most_bytes_read, large_first, last_rank, numbered<1>};
    for (int task = 0; task < 1000; ++task) {
      const auto x = static_cast<std::size_t>(below(8)),
                 y = (x + 1 + static_cast<std::size_t>(below(7))) % 8;
      std::size_t z = static_cast<std::size_t>(below(8));
      while (z == x || z == y) z = (z + 1) % 8;
      if (task % 50 == 0) session.use_policy(policies[static_cast<std::size_t>(below(4))]);
      auto& other = large[static_cast<std::size_t>(below(8))];
      if (below(3) == 0) {
        session.insert_task(mix_in, deed::read_write(numbers[x]), deed::read_write(numbers[y]),
                            deed::read(numbers[z]), deed::read(other),
                            deed::choose_by(policies[static_cast<std::size_t>(below(4))]));
      } else {
        session.insert_task(mix_in, deed::read_write(numbers[x]), deed::read_write(numbers[y]),
                            deed::read(numbers[z]), deed::read(other));
      }
      expected[x] = deed::mix(expected[x], expected[z] + 1);
      expected[y] = deed::mix(expected[y], expected[x]);
    }
    for (auto& each : numbers) session.fetch(deed::read(each), deed::everywhere);
    session.wait();  // If two ranks had chosen apart, a message would lack its other end.
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_EQ(*session.borrow(deed::read(numbers[i])), expected[i]);
  });
}

TEST(semantics_R63, one_task_goes_where_its_policy_says) {
  run([](deed::session& session) {
    const int last = session.size() - 1;
    auto x = session.register_data(deed::owner{0}, std::uint64_t{1});
    auto y = session.register_data(deed::owner{0}, std::uint64_t{2});
    session.insert_task(exchange, deed::read_write(x), deed::read_write(y),
                        deed::choose_by(last_rank));
    session.insert_task(exchange, deed::read_write(x), deed::read_write(y));
    if (session.relevant(deed::read_write(x), deed::read_write(y), deed::choose_by(last_rank))) {
      session.insert_task(exchange, deed::read_write(x), deed::read_write(y),
                          deed::choose_by(last_rank));
    }
    session.wait();
    const std::uint64_t ran = session.statistics().tasks_run;
    EXPECT_EQ(ran, (session.rank() == 0 ? 1u : 0u) + (session.rank() == last ? 2u : 0u));
  });
}

TEST(semantics_R77, most_bytes_to_read_decide_and_ties_go_to_the_lowest_rank) {
  run(
      [](deed::session& session) {
        auto small = session.register_data(deed::owner{0}, std::uint64_t{1});
        auto large = session.register_data(deed::owner{1}, big{});
        EXPECT_EQ(session.policy(), deed::most_bytes_read);
        session.insert_task(look, deed::read(small), deed::read(large));
        auto equal = session.register_data(deed::owner{1}, std::uint64_t{1});
        session.insert_task(exchange, deed::read_write(equal), deed::read_write(small));
        session.wait();
        EXPECT_EQ(session.statistics().tasks_run, session.rank() < 2 ? 1u : 0u);
      },
      2);
}

TEST(semantics_R78, only_later_tasks_go_by_another_policy) {
  run(
      [](deed::session& session) {
        const int last = session.size() - 1;
        auto x = session.register_data(deed::owner{0}, std::uint64_t{1});
        auto y = session.register_data(deed::owner{1}, std::uint64_t{2});
        session.insert_task(exchange, deed::read_write(x), deed::read_write(y));
        session.use_policy(last_rank);
        EXPECT_EQ(session.policy().name(), "last_rank");
        session.insert_task(exchange, deed::read_write(x), deed::read_write(y));
        session.wait();
        EXPECT_EQ(session.statistics().tasks_run,
                  (session.rank() == 0 ? 1u : 0u) + (session.rank() == last ? 1u : 0u));
      },
      2);
}

template <int... number>
constexpr std::array<deed::selection_policy, sizeof...(number)> all_numbered(
    std::integer_sequence<int, number...>) {
  return {numbered<number>...};
}

TEST(semantics_R79, there_is_no_end_of_policies_and_a_wrong_rank_is_named) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, std::uint64_t{1});
    auto y = session.register_data(deed::owner{session.size() - 1}, std::uint64_t{2});
    static constexpr auto policies = all_numbered(std::make_integer_sequence<int, 1000>{});
    for (const deed::selection_policy& each : policies) {
      session.insert_task(exchange, deed::read_write(x), deed::read_write(y),
                          deed::choose_by(each));
    }
    try {
      session.insert_task(exchange, deed::read_write(x), deed::read_write(y),
                          deed::choose_by(nobody));
      FAIL() << "there is no rank 99";
    } catch (const deed::error& refused) {
      EXPECT_EQ(refused.code(), deed::error_code::no_such_rank);
      EXPECT_THAT(refused.what(), HasSubstr("policy `nobody` chooses rank 99"));
    }
    session.fetch(deed::read(x), deed::everywhere);
    EXPECT_EQ(*session.borrow(deed::read(x)), 1u);
  });
}

TEST(semantics_R80, the_default_comes_back_in_mid_run) {
  run(
      [](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, std::uint64_t{1});
        auto y = session.register_data(deed::owner{1}, std::uint64_t{2});
        session.use_policy(last_rank);
        session.use_policy(deed::most_bytes_read);
        session.insert_task(exchange, deed::read_write(x), deed::read_write(y));
        session.wait();
        EXPECT_EQ(session.statistics().tasks_run, session.rank() == 0 ? 1u : 0u);
      },
      2);
}

TEST(semantics_R81, the_policy_of_the_manual_is_four_lines) {
  run(
      [](deed::session& session) {
        auto small = session.register_data(deed::owner{0}, std::uint64_t{1});
        auto large = session.register_data(deed::owner{1}, big{});
        session.use_policy(large_first);
        session.insert_task(look, deed::read(small), deed::read(large));
        auto other = session.register_data(deed::owner{1}, std::uint64_t{1});
        session.insert_task(exchange, deed::read_write(other), deed::read_write(small));
        session.wait();
        EXPECT_EQ(session.statistics().tasks_run, session.rank() < 2 ? 1u : 0u);
      },
      2);
}

}  // namespace
