// SPDX-License-Identifier: MIT
// Reductions whose operation throws, or whose neutral value cannot be made, under both policies.
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

}  // namespace
