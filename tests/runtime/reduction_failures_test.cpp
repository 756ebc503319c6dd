// SPDX-License-Identifier: MIT
// Reductions whose operation throws, or whose neutral value cannot be made, and collectives whose
// values are missing, under both policies.
#include <deed/deed.hpp>

#include "outcomes.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

using test::each_world;
using test::outcome;
using test::simulated_world;
using testing::ContainsRegex;
using testing::HasSubstr;

const deed::session_options propagate{.exceptions = deed::on_exception::propagate};

struct small_sum {
  int operator()(const int& a, const int& b) const {
    if (a + b > 100) throw std::overflow_error("too large");
    return a + b;
  }
};

constexpr deed::codelet give{"give", [](int& sum, int value) { sum += value; }};
constexpr deed::codelet add{"add", [](int& sum, const int& x) { sum += x; }};
constexpr deed::codelet set{"set", [](int& x, int value) { x = value; }};

/// Every rank gives `each`.
void contribute(deed::session& session, deed::reducible<int, small_sum>& sum, int each) {
  for (int r = 0; r < session.size(); ++r)
    session.insert_task(give, deed::reduce(sum), deed::value(each), deed::on(deed::rank{r}));
}

TEST(a_reduction_that_throws, is_told_on_every_rank_with_what_it_cancelled) {
  each_world([](const test::world& in) {
    int line = 0;
    const std::vector<outcome> all = in.run(
        4,
        [&](deed::session& session) {
          auto sum = session.register_data(deed::owner{1}, 0, deed::reduction{small_sum{}, 0},
                                           {.name = "sum"});
          auto b = session.register_data(deed::owner{2}, 1, {.name = "b"});
          auto c = session.register_data(deed::owner{0}, 1, {.name = "c"});
          contribute(session, sum, 40);
          session.reduce(sum);
          if (session.rank() == 1) line = __LINE__ - 1;
          session.insert_task(add, deed::read_write(b), deed::read(sum));  // Cancelled on rank 2.
          session.insert_task(add, deed::read_write(c), deed::read(b));    // Cancelled on rank 0.
          session.wait();
        },
        propagate);
    for (const outcome& each : all) {
      EXPECT_EQ(each.code, deed::error_code::task_threw);
      EXPECT_EQ(each.text, all[0].text);
      EXPECT_THAT(each.text, HasSubstr("deed[D807] task `reduce` threw: too large"));
      EXPECT_THAT(each.text, ContainsRegex("reduced +`sum`, tag 0"));
      EXPECT_THAT(each.text,
                  ContainsRegex("closed +reduction_failures_test.cpp:" + std::to_string(line)));
      EXPECT_THAT(each.text, ContainsRegex("ran on +rank 1"));
      EXPECT_THAT(each.text, ContainsRegex("cancelled +2 tasks"));
    }
  });
}

TEST(a_reduction_that_throws, leaves_the_session_usable_and_its_datum_without_value_until_written) {
  each_world([](const test::world& in) {
    const std::vector<outcome> all = in.run(
        4,
        [](deed::session& session) {
          auto sum = session.register_data(deed::owner{0}, 0, deed::reduction{small_sum{}, 0});
          auto other = session.register_data(deed::owner{3}, 5);
          contribute(session, sum, 60);
          // In a tree of one below another, the sum of two ranks is too large away from the owner.
          session.reduce(sum, deed::arity{1});
          session.insert_task(set, deed::write(other), deed::value(6));
          EXPECT_THROW(session.wait(), deed::task_error);
          if (session.owns(other)) {
            EXPECT_EQ(*session.borrow(deed::read(other)), 6);
          }
          contribute(session, sum, 1);  // It still has no value.
          EXPECT_THROW(session.wait(), deed::task_error);
          // deed-check: allow(D603) reason: the wait before it closes the reduction
          session.insert_task(set, deed::write(sum), deed::value(3));
          contribute(session, sum, 2);
          session.insert_task(add, deed::read_write(other), deed::read(sum));
          session.wait();
          if (session.owns(other)) {
            EXPECT_EQ(*session.borrow(deed::read(other)), 6 + 3 + 8);
          }
        },
        propagate);
    for (const outcome& each : all) EXPECT_EQ(each.text, "");
  });
}

TEST(a_reduction_that_throws, ends_the_run_in_a_report_otherwise) {
  simulated_world([](const test::world& in) {
    const std::vector<outcome> all = in.run(2, [](deed::session& session) {
      auto sum = session.register_data(deed::owner{1}, 0, deed::reduction{small_sum{}, 0},
                                       {.name = "sum"});
      contribute(session, sum, 60);
      session.wait();
    });
    EXPECT_EQ(all[1].code, deed::error_code::task_threw);
    EXPECT_TRUE(all[1].printed);
    EXPECT_THAT(all[1].text, HasSubstr("task `reduce` threw: too large"));
  });
}

/// What a call throws; empty: nothing.
template <class Call>
std::string thrown_by(Call&& call) {
  try {
    call();
  } catch (const deed::task_error& thrown) {
    EXPECT_EQ(thrown.code(), deed::error_code::task_threw);
    return thrown.what();
  }
  return {};
}

TEST(a_plain_reduction_that_throws, is_an_exception_where_its_result_is_due) {
  each_world([](const test::world& in) {
    for (const int size : {1, 2, 5}) {
      const std::vector<outcome> all = in.run(
          size,
          [&](deed::session& session) {
            const int line = __LINE__ + 2;
            const std::string said = thrown_by(
                [&] { static_cast<void>(session.all_reduce(deed::value(60), small_sum{})); });
            const std::string waited = thrown_by([&] { session.wait(); });
            EXPECT_EQ(said.empty(), size == 1);
            EXPECT_EQ(waited.empty(), size == 1);
            if (size > 1) {
              EXPECT_THAT(said, HasSubstr("deed[D807] task `all_reduce` threw: too large"));
              EXPECT_THAT(said,
                          ContainsRegex("called +`all_reduce`, at reduction_failures_test.cpp:" +
                                        std::to_string(line)));
              EXPECT_EQ(waited.substr(0, waited.find('\n')), said.substr(0, said.find('\n')));
            }
            // To one rank: the others have done their part.
            const int root = size - 1;
            const std::string told = thrown_by([&] {
              static_cast<void>(session.reduce(deed::value(60), deed::to{root}, small_sum{}));
            });
            EXPECT_EQ(told.empty(), size == 1 || session.rank() != root);
            EXPECT_EQ(thrown_by([&] { session.wait(); }).empty(), size == 1);
            EXPECT_EQ(session.all_reduce(deed::value(1), small_sum{}), size);
            session.wait();
          },
          propagate);
      for (const outcome& each : all) EXPECT_EQ(each.text, "");
    }
  });
}

TEST(a_plain_reduction_that_throws, cancels_who_reads_its_result_until_that_is_written) {
  each_world([](const test::world& in) {
    const std::vector<outcome> all = in.run(
        4,
        [](deed::session& session) {
          auto mine = session.register_data(deed::per_rank, 60);
          auto sum = session.register_data(deed::owner{2}, 0, {.name = "sum"});
          auto after = session.register_data(deed::owner{2}, 5);
          session.reduce(deed::read(mine), deed::write(sum), deed::to{2}, small_sum{});
          session.insert_task(add, deed::read_write(after), deed::read(sum));
          EXPECT_THAT(thrown_by([&] { session.wait(); }), ContainsRegex("cancelled +1 task"));
          session.insert_task(set, deed::write(mine), deed::value(10));
          session.insert_task(set, deed::write(after), deed::value(5));
          session.reduce(deed::read(mine), deed::write(sum), deed::to{2}, small_sum{});
          session.insert_task(add, deed::read_write(after), deed::read(sum));
          session.wait();
          if (session.owns(after)) {
            EXPECT_EQ(*session.borrow(deed::read(after)), 45);
          }
        },
        propagate);
    for (const outcome& each : all) EXPECT_EQ(each.text, "");
  });
}

TEST(a_collective, of_a_value_that_is_missing_leaves_none_on_those_that_would_get_it) {
  each_world([](const test::world& in) {
    const std::vector<outcome> all = in.run(
        5,
        [](deed::session& session) {
          const auto numbers = [&] { return std::vector<int>(5, session.rank()); };
          auto mine = session.register_data(deed::per_rank, numbers());
          auto theirs = session.register_data(deed::per_rank, numbers());
          auto whole = session.register_data(deed::owner{0}, std::vector<int>(25));
          constexpr static deed::codelet spoil{"spoil", [](std::vector<int>&, bool here) {
                                                 if (here) throw std::runtime_error("no value");
                                               }};
          const auto fails = [&](auto&& collective, bool everywhere) {
            session.insert_task(spoil, deed::read_write(mine), deed::value(session.rank() == 1));
            collective();
            EXPECT_THAT(thrown_by([&] { session.wait(); }), HasSubstr("`spoil` threw: no value"));
            if (everywhere) {
              EXPECT_THROW(static_cast<void>(session.borrow(deed::read(theirs))), deed::task_error);
            }
            if (session.rank() == 1) *session.borrow(deed::write(mine)) = numbers();
          };
          fails([&] { session.gather(deed::read(mine), deed::write(whole), deed::to{0}); }, false);
          fails([&] { session.all_gather(deed::read(mine), deed::write(theirs)); }, true);
          fails([&] { session.all_to_all(deed::read(mine), deed::write(theirs)); }, true);
          session.all_to_all(deed::read(mine), deed::write(theirs));
          session.gather(deed::read(theirs), deed::write(whole), deed::to{0});
          session.broadcast(deed::read_write(mine), deed::from{1});
          session.wait();
          EXPECT_EQ(*session.borrow(deed::read(theirs)), (std::vector<int>{0, 1, 2, 3, 4}));
          EXPECT_EQ(*session.borrow(deed::read(mine)), std::vector<int>(5, 1));
          session.insert_task(spoil, deed::read_write(mine), deed::value(session.rank() == 1));
          session.broadcast(deed::read_write(mine), deed::from{1});
          EXPECT_THROW(session.wait(), deed::task_error);
          EXPECT_THROW(static_cast<void>(session.borrow(deed::read(mine))), deed::task_error);
          // The rest is told again at the end, unless it is waited for.
        },
        propagate);
    for (const outcome& each : all) EXPECT_EQ(each.text, "");
  });
}

}  // namespace
