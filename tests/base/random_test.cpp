// SPDX-License-Identifier: MIT
#include <deed/base/random.hpp>

#include <gtest/gtest.h>

#include <array>

namespace {

TEST(random_source, gives_the_same_numbers_for_the_same_seed) {
  deed::random_source one{7}, two{7}, other{8};
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto drawn = one();
    EXPECT_EQ(drawn, two());
    differs |= drawn != other();
  }
  EXPECT_TRUE(differs);
}

TEST(random_source, reaches_every_number_below_the_bound_about_equally_often) {
  deed::random_source source{1};
  std::array<int, 7> seen{};
  for (int i = 0; i < 7000; ++i) ++seen.at(source.below(7));
  for (const int count : seen) EXPECT_NEAR(count, 1000, 200);
}

TEST(mix, depends_on_order) {
  EXPECT_NE(deed::mix(deed::mix(0, 1), 2), deed::mix(deed::mix(0, 2), 1));
}

}  // namespace
