// SPDX-License-Identifier: MIT
// Whether tasks go to the thread that wrote their data, by what they take there and elsewhere.
#include "locality.hpp"

#include <gtest/gtest.h>

namespace {

using deed::runtime::locality;
using std::chrono::nanoseconds;

/// So many tasks are timed on each of both.
void run(locality& of, int count, nanoseconds near, nanoseconds far) {
  for (int i = 0; i < count; ++i) {
    of.took(true, near);
    of.took(false, far);
  }
}

TEST(locality, pays_where_tasks_take_an_eighth_longer_elsewhere) {
  locality slow, alike;
  run(slow, 100, nanoseconds(3'000), nanoseconds(4'000));
  run(alike, 100, nanoseconds(3'000), nanoseconds(3'300));
  EXPECT_TRUE(slow.pays());
  EXPECT_FALSE(alike.pays());
}

TEST(locality, is_not_known_before_both_are) {
  locality near, far;
  for (int i = 0; i < 100; ++i) {
    near.took(true, nanoseconds(3'000));
    far.took(false, nanoseconds(9'000));
  }
  EXPECT_FALSE(near.pays());
  EXPECT_FALSE(far.pays());
}

TEST(locality, goes_on_until_tasks_take_no_longer_elsewhere) {
  locality all;
  run(all, 100, nanoseconds(3'000), nanoseconds(5'000));
  run(all, 1'000, nanoseconds(3'000), nanoseconds(3'200));
  EXPECT_TRUE(all.pays());
  run(all, 1'000, nanoseconds(3'000), nanoseconds(2'900));
  EXPECT_FALSE(all.pays());
}

TEST(locality, is_not_deceived_by_one_task_that_the_system_stopped) {
  locality all;
  run(all, 100, nanoseconds(3'000), nanoseconds(3'000));
  all.took(false, std::chrono::milliseconds(20));
  EXPECT_FALSE(all.pays());
}

}  // namespace
