// SPDX-License-Identifier: MIT
// Sequences of collective calls, and where they differ first.
#include <deed/base/random.hpp>

#include <call_order.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace deed::runtime;

/// "b1 g2": calls of these kinds at these lines, of which the newest `kept` are known.
calls_made made(const std::string& calls, std::size_t kept = 100) {
  calls_made all;
  std::uint64_t hash = 0;
  std::istringstream words(calls);
  for (std::string call; words >> call;) {
    const auto is = static_cast<std::uint64_t>(call.front());
    all.known.push_back({is, 0, "", hash, "x.cpp:" + call.substr(1)});
    hash = deed::mix(hash, is);
    ++all.count;
  }
  if (all.known.size() > kept)
    all.known.erase(all.known.begin(), all.known.end() - static_cast<std::ptrdiff_t>(kept));
  return all;
}

std::optional<other_call> first_of(const std::vector<calls_made>& all) {
  std::vector<calls_of_rank> ranks;
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    ranks.push_back({static_cast<int>(rank), &all[rank]});
  return first_other_call(ranks);
}

TEST(call_order, of_ranks_that_have_come_to_different_points_is_alike) {
  EXPECT_FALSE(first_of({made("b1 g2 r3"), made("b1 g2"), made("b1"), made("")}));
  EXPECT_FALSE(first_of({made("b1 g2 r3", 1), made("b1 g2", 1)}));
}

TEST(call_order, names_the_first_call_that_is_another_one_and_what_was_left_out) {
  const auto found = first_of({made("b1 g2 r3 r4"), made("b1 r3 r4"), made("b1 g2 r3")});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->number, 1u);
  EXPECT_TRUE(found->first);
  EXPECT_EQ(found->usual.rank, 0);
  EXPECT_EQ(found->other.rank, 1);
  EXPECT_EQ(found->lacks, "x.cpp:2");
}

TEST(call_order, knows_a_call_left_out_by_its_line_where_the_next_one_is_alike) {
  const auto found = first_of({made("b1 b2 g3 r4"), made("b2 g3 r4")});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->number, 1u);
  EXPECT_EQ(found->lacks, "x.cpp:1");
}

TEST(call_order, of_two_ranks_blames_the_one_that_has_less) {
  const auto found = first_of({made("b1 r3 r4"), made("b1 g2 r3 r4")});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->other.rank, 0);
  EXPECT_EQ(found->lacks, "x.cpp:2");
}

TEST(call_order, of_many_ranks_blames_the_one_that_has_more) {
  const auto found = first_of({made("b1 r3 r4"), made("b1 g2 r3 r4"), made("b1 r3 r4")});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->other.rank, 1);
  EXPECT_FALSE(found->lacks);
  EXPECT_EQ(found->adds, "x.cpp:2");
}

TEST(call_order, that_differs_in_more_than_a_call_accuses_nobody_of_having_left_one_out) {
  const auto found = first_of({made("b1 g2 r3 b4"), made("b1 r3 g2 b4")});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->number, 1u);
  EXPECT_FALSE(found->lacks || found->adds);
}

TEST(call_order, that_differs_before_what_is_known_says_so) {
  const auto found = first_of({made("b1 g2 r3 r4 r5", 2), made("b1 r3 r4 r5 r6", 2)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->number, 3u);
  EXPECT_FALSE(found->first);
  EXPECT_FALSE(found->lacks || found->adds);
}

/// A rank that makes none, and others that have made more than anybody looks at one by one.
TEST(call_order, looks_at_no_call_that_nobody_knows) {
  calls_made early = made("b1 g2"), late = made("b1 r3");
  late.count += std::uint64_t{1} << 60U;
  EXPECT_FALSE(first_of({made(""), early, late}));
  calls_made other = made("b1 g2");
  other.count = late.count;
  const auto found = first_of({made(""), early, late, other});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->number, late.count - 1);
}

TEST(call_order, is_told_of_fewer_calls_the_more_ranks_there_are) {
  EXPECT_EQ(calls_told(1), 512u);
  EXPECT_EQ(calls_told(128), 512u);
  EXPECT_EQ(calls_told(1024), 64u);
  EXPECT_EQ(calls_told(100'000), 16u);
}

}  // namespace
