// SPDX-License-Identifier: MIT
#include <deed/base/random.hpp>
#include <deed/ownership/holder_set.hpp>
#include <deed/ownership/ledger.hpp>

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <vector>

namespace {

using deed::access_mode;
using deed::ownership::effect;
using deed::ownership::holder_set;
using deed::ownership::ledger;
using deed::ownership::request;

TEST(holder_set, holds_what_was_added_in_rising_order_also_beyond_four) {
  holder_set some;
  for (const std::uint32_t rank : {9u, 3u, 7u, 1u, 5u, 3u, 8u}) some.add(rank);
  EXPECT_EQ(std::vector(some.view().begin(), some.view().end()),
            (std::vector<std::uint32_t>{1, 3, 5, 7, 8, 9}));
  EXPECT_FALSE(some.add(7));
  EXPECT_TRUE(some.remove(7));
  EXPECT_FALSE(some.contains(7));
  const holder_set copy = some;
  EXPECT_EQ(copy, some);
  some.clear();
  EXPECT_TRUE(some.empty());
  EXPECT_EQ(copy.size(), 5u);
}

TEST(ledger, brings_a_version_once_to_a_rank_that_reads_it) {
  ledger books(3);
  const auto a = books.add(0, true);
  std::array<effect, 1> effects;
  books.run(2, std::array{request{a, access_mode::read}}, effects);
  EXPECT_TRUE(effects[0].fetch);
  books.run(2, std::array{request{a, access_mode::read}}, effects);
  EXPECT_FALSE(effects[0].fetch) << "it is held since";
  books.run(0, std::array{request{a, access_mode::read_write}}, effects);
  EXPECT_FALSE(books.holds(a, 2)) << "the copy is stale";
  books.run(2, std::array{request{a, access_mode::read}}, effects);
  EXPECT_TRUE(effects[0].fetch);
  EXPECT_EQ(effects[0].version_read, 1u);
}

TEST(ledger, sends_back_what_was_written_away_from_its_owner_and_both_hold_it) {
  ledger books(3);
  const auto a = books.add(0, true);
  std::array<effect, 1> effects;
  books.run(1, std::array{request{a, access_mode::write}}, effects);
  EXPECT_FALSE(effects[0].fetch) << "a write needs no old value";
  EXPECT_TRUE(effects[0].write_back);
  EXPECT_TRUE(books.holds(a, 0));
  EXPECT_TRUE(books.holds(a, 1));
  EXPECT_FALSE(books.holds(a, 2));
}

TEST(ledger, gives_a_migrated_datum_to_its_new_owner_and_leaves_the_old_a_copy) {
  ledger books(3);
  const auto a = books.add(0, true);
  EXPECT_TRUE(books.migrate(a, 2));
  EXPECT_EQ(books.owner(a), 2u);
  EXPECT_TRUE(books.holds(a, 0));
  EXPECT_FALSE(books.migrate(a, 0)) << "it is there already";
}

TEST(ledger, finds_the_one_owner_of_what_is_written_or_lets_a_policy_choose) {
  ledger books(4);
  const auto a = books.add(1, true), b = books.add(2, true), c = books.add(1, true);
  using enum access_mode;
  EXPECT_EQ(books.writer_of(std::array{request{a, read_write}, request{b, read}}), 1u);
  EXPECT_EQ(books.writer_of(std::array{request{a, write}, request{c, write}}), 1u);
  EXPECT_EQ(books.writer_of(std::array{request{a, write}, request{b, write}}), ledger::everywhere);
  EXPECT_EQ(books.writer_of(std::array{request{a, read}}), ledger::everywhere);
  const auto bytes = [&](deed::ownership::slot datum) { return datum == b ? 100u : 60u; };
  EXPECT_EQ(books.most_bytes(std::array{request{a, read}, request{b, read}}, bytes), 2u);
  EXPECT_EQ(
      books.most_bytes(std::array{request{a, read}, request{b, read}, request{c, read}}, bytes),
      1u);
  EXPECT_EQ(books.most_bytes(std::array{request{b, write}, request{a, write}}, bytes), 1u)
      << "a tie: the lowest";
  EXPECT_EQ(
      books.most_bytes(std::array{request{a, read}, request{b, read}, request{a, read}}, bytes), 2u)
      << "each datum once";
}

TEST(ledger, is_a_value_that_can_be_copied_and_compared) {
  ledger books(2);
  const auto a = books.add(0, true);
  ledger copy = books;
  EXPECT_EQ(copy, books);
  EXPECT_EQ(copy.digest(), books.digest());
  copy.write(a);
  EXPECT_NE(copy, books);
  EXPECT_NE(copy.digest(), books.digest());
}

// The same rules, as plainly as they can be said: who has which version of what.
class model {
 public:
  explicit model(int ranks) : ranks_(ranks) {}
  void add(deed::ownership::slot datum, std::uint32_t owner, bool initialised) {
    data_[datum] = {owner, 0, {}};
    if (initialised) data_[datum].holders.insert(owner);
  }
  void remove(deed::ownership::slot datum) { data_.erase(datum); }
  effect use(std::uint32_t executor, request asked) {
    auto& [owner, version, holders] = data_.at(asked.datum);
    effect result{owner, version, false, false};
    if (reads(asked.mode) && !holders.contains(executor)) {
      result.fetch = true;
      holders.insert(executor);
    }
    if (writes(asked.mode)) {
      ++version;
      holders = {executor};
      if (owner != executor) {
        result.write_back = true;
        holders.insert(owner);
      }
    }
    return result;
  }
  bool fetch(deed::ownership::slot datum, std::uint32_t rank) {
    return data_.at(datum).holders.insert(rank).second;
  }
  bool migrate(deed::ownership::slot datum, std::uint32_t owner) {
    auto& known = data_.at(datum);
    known.owner = owner;
    return known.holders.insert(owner).second;
  }
  void flush(deed::ownership::slot datum) { data_.at(datum).holders = {data_.at(datum).owner}; }
  void expect_equal(const ledger& books) const {
    for (const auto& [datum, known] : data_) {
      ASSERT_EQ(books.owner(datum), known.owner);
      ASSERT_EQ(books.version(datum), known.version);
      for (int rank = 0; rank < ranks_; ++rank) {
        const auto at = static_cast<std::uint32_t>(rank);
        ASSERT_EQ(books.holds(datum, at), known.holders.contains(at))
            << "datum " << datum << " rank " << rank;
      }
    }
  }

 private:
  struct entry {
    std::uint32_t owner, version;
    std::set<std::uint32_t> holders;
  };
  std::map<deed::ownership::slot, entry> data_;
  int ranks_;
};

TEST(ledger, agrees_with_the_model_on_a_hundred_thousand_random_histories) {
  for (std::uint64_t seed = 0; seed < 100'000; ++seed) {
    deed::random_source random{seed};
    const auto ranks = static_cast<int>(1 + random.below(9));
    const auto any_rank = [&] {
      return static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(ranks)));
    };
    ledger books(ranks);
    model expected(ranks);
    std::vector<deed::ownership::slot> live;
    for (int step = 0; step < 24; ++step) {
      if (live.empty() || random.one_in(6)) {
        const auto owner = any_rank();
        live.push_back(books.add(owner, true));
        expected.add(live.back(), owner, true);
        continue;
      }
      const auto datum = live[random.below(live.size())];
      switch (random.below(8)) {
        case 0: {
          const auto target = any_rank();
          ASSERT_EQ(books.migrate(datum, target), expected.migrate(datum, target))
              << "seed " << seed;
          break;
        }
        case 1:
          books.flush(datum);
          expected.flush(datum);
          break;
        case 2: {
          const auto target = any_rank();
          ASSERT_EQ(books.fetch(datum, target), expected.fetch(datum, target)) << "seed " << seed;
          break;
        }
        case 3:
          books.remove(datum);
          expected.remove(datum);
          std::erase(live, datum);
          break;
        default: {
          std::vector<request> requests;
          for (const auto each : live) {
            if (random.one_in(2))
              requests.push_back({each, static_cast<access_mode>(random.below(4))});
          }
          std::vector<effect> effects(requests.size());
          const auto executor = any_rank();
          books.run(executor, requests, effects);
          for (std::size_t i = 0; i < requests.size(); ++i) {
            const effect wanted = expected.use(executor, requests[i]);
            ASSERT_EQ(effects[i].fetch, wanted.fetch) << "seed " << seed;
            ASSERT_EQ(effects[i].write_back, wanted.write_back) << "seed " << seed;
            ASSERT_EQ(effects[i].version_read, wanted.version_read) << "seed " << seed;
          }
        }
      }
    }
    expected.expect_equal(books);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
