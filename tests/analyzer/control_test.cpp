// SPDX-License-Identifier: MIT
#include "flow/control.hpp"

#include "support/events.hpp"
#include <gtest/gtest.h>

namespace deed::check {
namespace {

using testing::writer;

/// `if (…) throw …; what_follows();`
function with_a_throw() {
  block split = writer::straight({}, {1, 2});
  split.how = split::branch;
  block throws = writer::straight({}, {3});
  throws.ends_job = true;
  return writer::of({split, throws, writer::straight({}, {3}), {}});
}

TEST(control, lets_a_throw_decide_whether_the_rest_runs) {
  const function f = with_a_throw();
  const control decisions(f);
  EXPECT_EQ(decisions.deciders(1), std::vector<int>{0});
  EXPECT_EQ(decisions.deciders(2), std::vector<int>{0});
  EXPECT_EQ(decisions.meets_at(0), f.exit);
}

TEST(control, lets_a_throw_that_ends_the_job_decide_nothing_behind_it) {
  const function f = with_a_throw();
  const control decisions(f, throw_ends::job);
  EXPECT_EQ(decisions.deciders(1), std::vector<int>{0});
  EXPECT_TRUE(decisions.deciders(2).empty());
  EXPECT_EQ(decisions.meets_at(0), 2);
}

TEST(control, comes_to_no_throw_that_ends_the_job) {
  const function f = with_a_throw();
  EXPECT_EQ(reached(f, 0), (std::set{0, 1, 2, 3}));
  EXPECT_EQ(reached(f, 0, f.exit), (std::set{0, 1, 2}));
  EXPECT_EQ(reached(f, 0, -1, throw_ends::job), (std::set{0, 2, 3}));
}

/// `while (…) { … } what_follows();` The body is the first or the second way on.
function with_a_loop(std::vector<int> ways) {
  block head = writer::straight({}, std::move(ways));
  head.how = split::loop;
  return writer::of(
      {writer::straight({}, {1}), head, writer::straight({}, {1}), writer::straight({}, {4}), {}});
}

TEST(control, lets_a_loop_decide_its_body_and_nothing_behind_it) {
  for (const auto& ways : {std::vector{2, 3}, std::vector{3, 2}}) {
    const function f = with_a_loop(ways);
    const control decisions(f);
    EXPECT_EQ(decisions.meets_at(1), 3);
    EXPECT_EQ(decisions.deciders(2), std::vector<int>{1});
    EXPECT_TRUE(decisions.deciders(3).empty());
  }
}

}  // namespace
}  // namespace deed::check
