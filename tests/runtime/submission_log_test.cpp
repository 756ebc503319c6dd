// SPDX-License-Identifier: MIT
#include <deed/base/random.hpp>

#include <gtest/gtest.h>
#include <submission_log.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace {

using deed::runtime::common_step;
using deed::runtime::submission_log;

constexpr std::array<std::string_view, 2> names{"grid", "halo"};

/// Steps of two lines, mostly alike, as a program makes them.
common_step random_step(deed::random_source& dice) {
  common_step step;
  step.is = dice.below(10) == 0 ? common_step::kind::wait : common_step::kind::registration;
  step.rank = static_cast<int>(dice.below(4));
  step.tag = dice.below(1000);
  step.bytes = 8 * (1 + dice.below(20) / 19);
  step.name = names[dice.below(10) / 9];
  step.i = static_cast<int>(dice.below(100));
  step.where = deed::place::current();
  return step;
}

void expect_equal(const common_step& kept, const common_step& added) {
  ASSERT_EQ(kept.is, added.is);
  ASSERT_EQ(kept.rank, added.rank);
  ASSERT_EQ(kept.tag, added.tag);
  ASSERT_EQ(kept.bytes, added.bytes);
  ASSERT_EQ(kept.name, added.name);
  ASSERT_EQ(kept.i, added.i);
}

/// Whatever steps share, each is given back as it was, with the number of those before each round.
TEST(submission_log, gives_back_the_newest_steps_as_they_were) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    deed::random_source dice(seed);
    submission_log log(0);
    std::vector<common_step> added;
    std::vector<std::size_t> before;  // Each round.
    for (int i = 0; i < 80'000; ++i) {
      added.push_back(random_step(dice));
      log.add(added.back());
      if (dice.below(1000) == 0) {
        before.push_back(added.size());
        log.begin_round({});
      }
    }
    const std::uint64_t first = log.first_step();
    EXPECT_GT(first, 0U);
    EXPECT_EQ(log.steps_before(submission_log::latest), added.size());
    EXPECT_FALSE(log.step(first - 1));
    EXPECT_FALSE(log.step(added.size()));
    for (std::uint64_t i = first; i < added.size(); ++i) {
      const auto kept = log.step(i);
      ASSERT_TRUE(kept);
      expect_equal(*kept, added[i]);
    }
    for (std::size_t round = 0; round < before.size(); ++round)
      EXPECT_EQ(log.steps_before(round), std::max<std::uint64_t>(before[round], first));
  }
}

TEST(submission_log, counts_and_sums_with_each_peer_as_if_it_were_alone) {
  deed::random_source dice(5);
  constexpr std::uint32_t me = 3;
  submission_log log(me);
  std::map<std::uint32_t, submission_log> alone;
  for (int i = 0; i < 20'000; ++i) {
    std::uint32_t peer = static_cast<std::uint32_t>(dice.below(std::uint64_t{1} << dice.below(31)));
    if (peer == me) ++peer;
    deed::runtime::dealing one;
    one.signature = dice();
    log.add(peer, one);
    alone.try_emplace(peer, int{me}).first->second.add(peer, one);
  }
  const auto all = log.dealings_before(submission_log::latest);
  ASSERT_EQ(all.size(), alone.size());
  auto expected = alone.begin();
  for (const auto& [peer, count, sum] : all) {
    const auto with = expected->second.dealings_before(submission_log::latest).front();
    ASSERT_EQ(peer, expected->first);
    ASSERT_EQ(count, with.count);
    ASSERT_EQ(sum, with.sum);
    ++expected;
  }
}

TEST(submission_log, is_the_same_where_it_is_told_how_many_follow) {
  deed::random_source dice(6);
  submission_log all(0), newest(0);
  for (const std::uint64_t count : std::array<std::uint64_t, 4>{10, 3000, 20'000, 1}) {
    deed::runtime::dealing one;
    one.signature = dice();
    for (std::uint64_t i = 0; i < count; ++i) {
      ++one.number;
      const auto peer = static_cast<std::uint32_t>(1 + i % 3);
      all.add(peer, one);
      newest.add(peer, one, count - 1 - i);
    }
    static_cast<void>(all.begin_round({}));
    static_cast<void>(newest.begin_round({}));
  }
  EXPECT_EQ(newest.dealings_sum(), all.dealings_sum());
  for (const std::uint32_t peer : {1u, 2u, 3u}) {
    const auto kept = newest.dealings_with(peer, submission_log::latest);
    const auto expected = all.dealings_with(peer, submission_log::latest);
    ASSERT_EQ(kept.size(), expected.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      EXPECT_EQ(kept[i].number, expected[i].number);
      EXPECT_EQ(kept[i].index, expected[i].index);
      EXPECT_EQ(kept[i].round, expected[i].round);
      EXPECT_EQ(kept[i].sum, expected[i].sum);
    }
  }
}

}  // namespace
