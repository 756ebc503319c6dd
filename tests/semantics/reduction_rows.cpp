// SPDX-License-Identifier: MIT
// Reductions over ranks and workers: rows R82 and N13.
#include <deed/base/error.hpp>

#include "worlds.hpp"
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

using semantics::reports_of;
using semantics::run;
using ::testing::HasSubstr;

constexpr deed::codelet add{"add", [](std::uint64_t& sum, const std::uint64_t& x) { sum += x; }};
constexpr deed::codelet add_value{"add_value",
                                  [](std::uint64_t& sum, std::uint64_t x) { sum += x; }};
constexpr deed::codelet add_root{"add_root", [](double& sum, std::uint64_t i) {
                                   sum += std::sqrt(1.0 + static_cast<double>(i));
                                 }};
constexpr deed::codelet reset{"reset", [](std::uint64_t& x) { x = 0; }};
constexpr deed::codelet copy{"copy",
                             [](std::uint64_t& to, const std::uint64_t& from) { to = from; }};
constexpr deed::codelet look{"look", [](const std::uint64_t&) {}};
constexpr deed::codelet append{
    "append", [](std::vector<std::uint64_t>& all, std::uint64_t x) { all.push_back(x); }};

TEST(semantics_R82, contributions_of_all_ranks_come_to_the_owner) {
  run([](deed::session& session) {
    const int size = session.size();
    auto total =
        session.register_data(deed::owner{size - 1}, std::uint64_t{1000},
                              deed::reduction{std::plus<>{}, std::uint64_t{0}}, {.name = "total"});
    std::vector<deed::handle<std::uint64_t>> parts;
    for (int r = 0; r < size; ++r)
      parts.push_back(session.register_data(deed::owner{r}, static_cast<std::uint64_t>(r + 1)));
    std::uint64_t expected = 1000;
    for (int round = 0; round < 4; ++round) {
      for (std::size_t i = 0; i < 3 * parts.size(); ++i) {
        auto& part = parts[i % parts.size()];
        session.insert_task(add, deed::reduce(total), deed::read(part));
        expected += i % parts.size() + 1;
      }
      if (round % 2 == 0) session.reduce(total);
      session.fetch(deed::read(total), deed::everywhere);
      session.wait();
      EXPECT_EQ(*session.borrow(deed::read(total)), expected);
    }
    EXPECT_EQ(session.statistics().tasks_run, 12u) << "each ran where its input is";
  });
}

TEST(semantics_R82, reads_and_waits_close_it_and_writes_are_refused) {
  run([](deed::session& session) {
    auto total =
        session.register_data(deed::owner{0}, std::uint64_t{0},
                              deed::reduction{std::plus<>{}, std::uint64_t{0}}, {.name = "total"});
    auto seen =
        session.register_data(deed::owner{session.size() - 1}, std::uint64_t{0}, {.name = "seen"});
    const deed::rank last{session.size() - 1};
    session.insert_task(add_value, deed::reduce(total), deed::value(std::uint64_t{5}),
                        deed::on(last));
    try {
      session.insert_task(reset, deed::write(total));
      FAIL() << "the contribution would be lost";
    } catch (const deed::error& refused) {
      EXPECT_EQ(refused.code(), deed::error_code::reduction_open);
      EXPECT_THAT(refused.what(), HasSubstr("last contribution"));
    }
    EXPECT_THROW((void)session.borrow(deed::read(total)), deed::error);
    session.insert_task(copy, deed::write(seen), deed::read(total));
    session.insert_task(add_value, deed::reduce(total), deed::value(std::uint64_t{7}),
                        deed::on(last));
    session.wait();
    if (session.rank() == last.value) {
      EXPECT_EQ(*session.borrow(deed::read(seen)), 5u);
    }
    if (session.rank() == 0) {
      EXPECT_EQ(*session.borrow(deed::read(total)), 12u);
    }
    session.insert_task(add_value, deed::reduce(total), deed::value(std::uint64_t{1}),
                        deed::on(last));
    session.ifetch(deed::read(total), deed::to{last.value}).wait();
    if (session.rank() == last.value) {
      EXPECT_EQ(*session.borrow(deed::read(total)), 13u);
    }
    session.insert_task(add_value, deed::reduce(total), deed::value(std::uint64_t{1}),
                        deed::on(last));
    session.reduce(total);
    session.insert_task(reset, deed::write(total));
    session.insert_task(add_value, deed::reduce(total), deed::value(std::uint64_t{3}));
    session.migrate(total, deed::owner{last.value});
    session.wait();
    if (session.rank() == last.value) {
      EXPECT_EQ(*session.borrow(deed::read(total)), 3u);
    }
    // An end with contributions open gives their memory back.
    session.insert_task(add_value, deed::reduce(total), deed::value(std::uint64_t{3}));
  });
}

TEST(semantics_R82, the_same_bits_come_out_of_every_run_where_that_is_asked_for) {
  std::mutex mutex;
  std::map<int, std::set<double>> results;  // By number of ranks.
  run([&](deed::session& session) {
    auto total =
        session.register_data(deed::owner{0}, 0.0, deed::reduction{std::plus<>{}, 0.0, true});
    for (std::uint64_t i = 0; i < 200; ++i) {
      session.insert_task(add_root, deed::reduce(total), deed::value(i),
                          deed::on(deed::rank{static_cast<int>(i) % session.size()}));
    }
    session.wait();
    if (session.rank() == 0) {
      const double value = *session.borrow(deed::read(total));
      const std::lock_guard lock(mutex);
      results[session.size()].insert(value);
    }
  });
  for (const auto& [ranks, values] : results) EXPECT_EQ(values.size(), 1u) << ranks << " ranks";
}

TEST(semantics_N13, every_arity_gives_the_same) {
  run([](deed::session& session) {
    auto all = session.register_data(
        deed::owner{session.size() / 2}, std::vector<std::uint64_t>{},
        deed::reduction{
            [](std::vector<std::uint64_t>& sum, const std::vector<std::uint64_t>& more) {
              sum.insert(sum.end(), more.begin(), more.end());
            },
            std::vector<std::uint64_t>{}});
    std::multiset<std::uint64_t> expected;
    for (std::size_t arity = 1; arity <= 9; ++arity) {
      for (int r = 0; r < session.size(); ++r) {
        const std::uint64_t x = 100 * arity + static_cast<std::uint64_t>(r);
        session.insert_task(append, deed::reduce(all), deed::value(x), deed::on(deed::rank{r}));
        expected.insert(x);
      }
      session.reduce(all, deed::arity{arity});
    }
    session.fetch(deed::read(all), deed::everywhere);
    const auto lent = session.borrow(deed::read(all));
    EXPECT_EQ((std::multiset<std::uint64_t>(lent->begin(), lent->end())), expected);
  });
}

TEST(semantics_N13, ranks_that_contribute_nothing_leave_it_out) {
  run([](deed::session& session) {
    const deed::rank last{session.size() - 1};
    auto total = session.register_data(deed::owner{0}, std::uint64_t{0},
                                       deed::reduction{std::plus<>{}, std::uint64_t{0}});
    for (int i = 0; i < 3; ++i) {
      if (session.relevant(deed::reduce(total), deed::on(last)))
        session.insert_task(add_value, deed::reduce(total), deed::value(std::uint64_t{2}),
                            deed::on(last));
      if (session.relevant(deed::read(total))) session.insert_task(look, deed::read(total));
    }
    session.wait();
    if (session.rank() == 0) {
      EXPECT_EQ(*session.borrow(deed::read(total)), 6u);
    }
  });
}

}  // namespace
