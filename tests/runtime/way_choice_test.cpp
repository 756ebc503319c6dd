// SPDX-License-Identifier: MIT
// Whether the program's thread runs tasks beside the workers, by what spans of time cost.
#include "way_choice.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using deed::runtime::way_choice;

constexpr int nodes = 100;  // Of a span.

/// Spans that cost so many nanoseconds per node, with help and without. How many had help.
class spans {
 public:
  int run(int count, int with, int without) {
    int helped = 0;
    for (int i = 0; i < count; ++i) {
      helped += choice_.usual() ? 1 : 0;
      now_ += way_choice::nanoseconds(nodes * (choice_.usual() ? with : without));
      choice_.end(completed_ += nodes, now_);
    }
    return helped;
  }

 private:
  way_choice choice_;
  std::uint64_t completed_ = 0;
  way_choice::nanoseconds now_{};
};

TEST(way_choice, is_for_the_quicker_way_and_tries_the_other_ever_more_seldom) {
  EXPECT_LE(spans().run(1000, 160, 60), 20);
  EXPECT_GE(spans().run(1000, 60, 160), 980);
}

TEST(way_choice, notices_that_the_other_way_has_become_the_quicker_one) {
  spans all;
  all.run(1000, 160, 60);
  EXPECT_GE(all.run(1000, 60, 160), 900);
}

TEST(way_choice, is_for_the_workers_alone_also_where_help_makes_brief_tasks_long) {
  EXPECT_LE(spans().run(1000, 600, 60), 20);
  EXPECT_LE(spans().run(1000, 3'000, 70), 20);
}

TEST(way_choice, is_for_help_where_tasks_are_longer_whatever_was_before) {
  EXPECT_GE(spans().run(1000, 600, 1'100), 980);
  EXPECT_EQ(spans().run(1000, 6'000, 10'000), 1000);
  spans all;
  all.run(1000, 160, 60);
  EXPECT_GE(all.run(1000, 6'000, 10'000), 990);
}

TEST(way_choice, is_for_help_where_both_ways_are_nearly_alike) {
  EXPECT_GE(spans().run(1000, 100, 95), 980);
}

TEST(way_choice, does_not_take_a_span_that_it_gave_up_for_one_with_help) {
  way_choice choice;
  choice.end(100, way_choice::nanoseconds(20'000));
  ASSERT_FALSE(choice.usual());
  choice.give_up(110, way_choice::nanoseconds(1'000'000));
  EXPECT_TRUE(choice.usual());
  choice.end(210, way_choice::nanoseconds(1'020'000));
  EXPECT_TRUE(choice.usual());
}

TEST(way_choice, takes_a_span_in_which_nothing_was_completed_for_a_long_one) {
  way_choice choice;
  choice.begin(7, way_choice::nanoseconds(1'000'000));
  choice.end(7, way_choice::nanoseconds(2'000'000));
  EXPECT_TRUE(choice.usual());
}

}  // namespace
