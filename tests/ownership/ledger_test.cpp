// SPDX-License-Identifier: MIT
#include <deed/base/random.hpp>
#include <deed/ownership/holder_set.hpp>
#include <deed/ownership/ledger.hpp>
#include <deed/ownership/ledger_excerpt.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace {

using deed::access_mode;
using deed::ownership::copy;
using deed::ownership::copy_rules;
using deed::ownership::effect;
using deed::ownership::ended_copies;
using deed::ownership::holder_set;
using deed::ownership::ledger;
using deed::ownership::request;
using deed::ownership::slot;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

TEST(holder_set, holds_what_was_added_in_order_also_beyond_four) {
  holder_set some;
  for (const std::uint32_t rank : {9u, 3u, 7u, 1u, 5u, 3u, 8u}) some.add(rank);
  EXPECT_EQ(std::vector(some.view().begin(), some.view().end()),
            (std::vector<std::uint32_t>{9, 3, 7, 1, 5, 8}));
  EXPECT_FALSE(some.add(7));
  EXPECT_TRUE(some.remove(7));
  EXPECT_FALSE(some.contains(7));
  const holder_set copy = some;
  EXPECT_EQ(copy, some);
  some.clear();
  EXPECT_TRUE(some.empty());
  EXPECT_EQ(copy.size(), 5u);
}

TEST(holder_set, knows_who_is_in_it_whatever_its_size) {
  for (std::uint32_t size = 0; size < 70; ++size) {
    holder_set some;
    for (std::uint32_t i = 0; i < size; ++i) some.add(2 * (i * 37 % size));  // In any order.
    for (std::uint32_t rank = 0; rank < 2 * size + 2; ++rank) {
      EXPECT_EQ(some.contains(rank), std::ranges::count(some.view(), rank) == 1)
          << rank << " of " << size;
    }
  }
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

TEST(ledger, knows_from_an_excerpt_what_differs_in_versions_alone) {
  ledger books(2);
  const auto a = books.add(0, true), b = books.add(1, true);
  std::array<effect, 2> effects;
  const std::array uses{request{a, access_mode::read}, request{b, access_mode::write}};
  const auto keep_both = [&] {
    ledger::excerpt before(books);
    for (const request& each : uses) before.keep(books, each.datum);
    return before;
  };
  const ledger::excerpt at_first = keep_both();
  books.run(1, uses, effects);
  EXPECT_FALSE(books.decides_as(at_first)) << "rank 1 has a copy of the first";
  ledger::excerpt then = keep_both();
  books.run(1, uses, effects);
  EXPECT_TRUE(books.decides_as(then));
  EXPECT_EQ(then.version(b), 1u);

  then.keep(books, b);  // The first time counts.
  EXPECT_EQ(then.version(b), 1u);
  then.keep(books, 7);  // Of another ledger.
  books.advance_since(then, 5);
  EXPECT_EQ(books.version(b), 7u);
  EXPECT_EQ(books.version(a), 0u);
  EXPECT_TRUE(books.decides_as(then));

  ledger more = books;
  more.add(0, true);
  EXPECT_FALSE(more.decides_as(then));
  ledger less = books;
  less.remove(a);
  EXPECT_FALSE(less.decides_as(then));
  ledger open = books;
  open.contribute(a, 1);
  EXPECT_FALSE(open.decides_as(then));
  ledger hinted = books;
  hinted.prefer(a, 1);
  EXPECT_FALSE(hinted.decides_as(then));
}

TEST(ledger, spares_the_owner_of_what_many_read) {
  constexpr std::uint32_t readers = 1023;
  ledger books(readers + 1);
  const auto a = books.add(0, true);
  std::vector<std::uint32_t> sends(readers + 1), depth(readers + 1);
  std::array<effect, 1> effects;
  for (std::uint32_t i = 0; i < readers; ++i) {
    const std::uint32_t reader = 1 + (i * 389) % readers;  // In no order.
    books.run(reader, std::array{request{a, access_mode::read}}, effects);
    ASSERT_TRUE(effects[0].fetch);
    ++sends[effects[0].source];
    depth[reader] = depth[effects[0].source] + 1;
  }
  EXPECT_EQ(sends[0], 10u);
  EXPECT_LE(std::ranges::max(sends), 10u);
  EXPECT_LE(std::ranges::max(depth), 11u);
}

TEST(ledger, ends_the_copy_used_longest_ago_where_there_is_no_room) {
  ledger books(2, {.bytes = 100});
  const auto a = books.add(0, true, 40), b = books.add(0, true, 40), c = books.add(0, true, 40);
  std::array<effect, 1> effects;
  ended_copies ended;
  for (const auto datum : {a, b, a, c})
    books.run(1, std::array{request{datum, access_mode::read}}, effects, &ended);
  EXPECT_THAT(ended.before, ElementsAre(copy{b, 1}));
  EXPECT_THAT(ended.after, ElementsAre());
  EXPECT_TRUE(books.holds(a, 1));
  EXPECT_FALSE(books.holds(b, 1));
  EXPECT_EQ(books.budget().held(1), 80u);
  const std::array all{request{a, access_mode::read}, request{b, access_mode::write},
                       request{c, access_mode::read}, request{a, access_mode::read}};
  EXPECT_EQ(books.room_for(1, all), 120u) << "each datum once";
  EXPECT_EQ(books.room_for(0, all), 0u);
}

TEST(ledger, ends_copies_behind_their_task_where_none_are_kept) {
  ledger books(2, {.keep = false});
  const auto a = books.add(0, true);
  std::array<effect, 1> effects;
  ended_copies ended;
  books.run(1, std::array{request{a, access_mode::read}}, effects, &ended);
  EXPECT_TRUE(effects[0].fetch);
  EXPECT_THAT(ended.after, ElementsAre(copy{a, 1}));
  EXPECT_TRUE(books.fetch(a, 1)) << "asked for by hand: it stays";
  books.run(1, std::array{request{a, access_mode::read}}, effects, &ended);
  EXPECT_FALSE(effects[0].fetch);
  EXPECT_TRUE(books.holds(a, 1));
}

// The same rules, as plainly as they can be said: who has which version of what.
class model {
 public:
  model(int ranks, const copy_rules& rules)
      : ranks_(ranks), rules_(rules), kept_(static_cast<std::size_t>(ranks)) {}
  void add(slot datum, std::uint32_t owner, std::uint64_t bytes) {
    data_[datum] = {owner, 0, bytes, {owner}, {}, {}};
  }
  void remove(slot datum) {
    flush(datum);
    data_.erase(datum);
  }
  [[nodiscard]] std::uint64_t room_for(std::uint32_t rank, const std::set<slot>& data) const {
    std::uint64_t sum = 0;
    for (const slot each : data) sum += away(each, rank) ? data_.at(each).bytes : 0;
    return sum;
  }
  void make_room(std::uint32_t rank, const std::set<slot>& data) {
    if (rules_.bytes == unlimited) return;
    auto& kept = kept_[rank];
    for (;;) {
      std::set<slot> all(data);
      all.insert(kept.begin(), kept.end());
      if (room_for(rank, all) <= rules_.bytes) return;
      forget(*std::ranges::find_if(kept, [&](slot each) { return !data.contains(each); }), rank);
    }
  }
  effect use(std::uint32_t executor, request asked) {
    entry& known = data_.at(asked.datum);
    if (asked.mode == access_mode::reduce) {
      known.contributors.insert(executor);
      return {known.owner, known.version, false, false, known.owner};
    }
    effect result{known.owner, known.version, false, false, known.owner};
    if (reads(asked.mode) && known.holders.insert(executor).second) {
      result.fetch = true;
      result.source = next_source(known);
      known.arrived.push_back(executor);
    }
    if (writes(asked.mode)) {
      ++known.version;
      for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(ranks_); ++rank) {
        if (rank != executor) forget(asked.datum, rank);
      }
      known.holders = {executor, known.owner};
      known.arrived.clear();
      if (executor != known.owner) known.arrived.push_back(executor);
      result.write_back = known.owner != executor;
    }
    touch(asked.datum, executor);
    return result;
  }
  void after(std::uint32_t executor, const std::vector<request>& requests,
             const std::vector<effect>& effects) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const bool new_here = effects[i].fetch || effects[i].write_back;
      if (!rules_.keep && new_here) forget(requests[i].datum, executor);
    }
  }
  std::optional<std::uint32_t> fetch(slot datum, std::uint32_t rank) {
    if (away(datum, rank)) make_room(rank, {datum});
    entry& known = data_.at(datum);
    std::optional<std::uint32_t> source;
    if (known.holders.insert(rank).second) {
      source = next_source(known);
      known.arrived.push_back(rank);
    }
    touch(datum, rank);
    return source;
  }
  bool migrate(slot datum, std::uint32_t owner) {
    entry& known = data_.at(datum);
    const std::uint32_t old = known.owner;
    if (old == owner) return false;
    const bool fresh = known.holders.insert(owner).second;
    std::erase(kept_[owner], datum);
    std::erase(known.arrived, owner);
    known.owner = owner;
    if (rules_.keep && room_for(old, {datum}) <= rules_.bytes) {
      make_room(old, {datum});
      touch(datum, old);
      known.arrived.push_back(old);
    } else {
      forget(datum, old);
    }
    return fresh;
  }
  void close(slot datum) {
    flush(datum);
    ++data_.at(datum).version;
    data_.at(datum).contributors.clear();
  }
  void flush(slot datum) {
    for (int rank = 0; rank < ranks_; ++rank) {
      if (away(datum, static_cast<std::uint32_t>(rank)))
        forget(datum, static_cast<std::uint32_t>(rank));
    }
  }
  void keep(bool on) {
    rules_.keep = on;
    if (on) return;
    for (const auto& [datum, _] : data_) flush(datum);
  }
  [[nodiscard]] bool holds(slot datum, std::uint32_t rank) const {
    return data_.at(datum).holders.contains(rank);
  }
  void expect_equal(const ledger& books) const {
    for (int r = 0; r < ranks_; ++r) {
      const auto rank = static_cast<std::uint32_t>(r);
      std::uint64_t bytes = 0;
      for (const auto& [datum, known] : data_) {
        ASSERT_EQ(books.owner(datum), known.owner);
        ASSERT_EQ(books.version(datum), known.version);
        ASSERT_EQ(books.is_open(datum), !known.contributors.empty());
        if (books.is_open(datum)) {
          EXPECT_THAT(books.contributors(datum), ElementsAreArray(known.contributors));
        }
        ASSERT_EQ(books.holds(datum, rank), holds(datum, rank))
            << "datum " << datum << " rank " << rank;
        if (away(datum, rank) && holds(datum, rank)) bytes += known.bytes;
      }
      if (rules_.bytes == unlimited) continue;
      ASSERT_EQ(books.budget().held(rank), bytes);
      ASSERT_LE(bytes, rules_.bytes);
    }
  }
  static constexpr std::uint64_t unlimited = deed::ownership::copy_budget::unlimited;

 private:
  struct entry {
    std::uint32_t owner, version;
    std::uint64_t bytes;
    std::set<std::uint32_t> holders;
    std::vector<std::uint32_t> arrived;  // Those beside the owner, in their order.
    std::set<std::uint32_t> contributors;
  };
  /// The owner serves three; then each that has it serves one after the other, in rounds.
  static std::uint32_t next_source(const entry& known) {
    std::size_t place = known.arrived.size() + 1;
    if (place < 4) return known.owner;
    if (place == 4) return known.arrived.front();
    std::size_t round = 4;
    while (2 * round <= place) round *= 2;
    place -= round;
    return place == 0 ? known.owner : known.arrived[place - 1];
  }
  [[nodiscard]] bool away(slot datum, std::uint32_t rank) const {
    return data_.at(datum).owner != rank;
  }
  void touch(slot datum, std::uint32_t rank) {
    if (!away(datum, rank)) return;
    std::erase(kept_[rank], datum);
    kept_[rank].push_back(datum);
  }
  void forget(slot datum, std::uint32_t rank) {
    std::erase(kept_[rank], datum);
    if (!away(datum, rank)) return;
    data_.at(datum).holders.erase(rank);
    std::erase(data_.at(datum).arrived, rank);
  }

  std::map<slot, entry> data_;
  int ranks_;
  copy_rules rules_;
  std::vector<std::vector<slot>> kept_;  // By rank, the one used longest ago first.
};

/// One history of random decisions, on a ledger and on the model.
class history {
 public:
  explicit history(std::uint64_t seed)
      : random_(seed),
        ranks_(static_cast<int>(1 + random_.below(9))),
        rules_{.keep = !random_.one_in(4),
               .bytes = random_.one_in(2) ? model::unlimited : 10 + random_.below(60)},
        books_(ranks_, rules_),
        expected_(ranks_, rules_) {}

  void play() {
    for (int step = 0; step < 24; ++step) {
      const auto before = holders();
      ended_.clear();
      perform();
      if (testing::Test::HasFatalFailure()) return;
      if (books_.ends_copies()) check_ended(before);
    }
    expected_.expect_equal(books_);
  }

 private:
  std::uint32_t any_rank() {
    return static_cast<std::uint32_t>(random_.below(static_cast<std::uint64_t>(ranks_)));
  }
  void perform() {
    if (live_.empty() || random_.one_in(6)) {
      const auto owner = any_rank();
      const std::uint64_t bytes = 1 + random_.below(20);
      live_.push_back(books_.add(owner, true, bytes));
      expected_.add(live_.back(), owner, bytes);
      return;
    }
    const slot datum = live_[random_.below(live_.size())];
    const auto target = any_rank();
    const bool fits = expected_.room_for(target, {datum}) <= rules_.bytes;
    switch (random_.below(10)) {
      case 9:
        if (!books_.is_open(datum)) break;
        books_.close(datum, &ended_);
        expected_.close(datum);
        break;
      case 0:
        ASSERT_EQ(books_.migrate(datum, target, &ended_), expected_.migrate(datum, target));
        break;
      case 1:
        books_.flush(datum, &ended_);
        expected_.flush(datum);
        break;
      case 2:
        if (!fits) break;
        ASSERT_EQ(books_.fetch(datum, target, &ended_), expected_.fetch(datum, target));
        break;
      case 3:
        books_.remove(datum);
        expected_.remove(datum);
        std::erase(live_, datum);
        break;
      case 4: {
        const bool on = random_.one_in(2);
        books_.keep_copies(on, &ended_);
        expected_.keep(on);
        break;
      }
      default:
        run(target);
    }
  }
  void run(std::uint32_t executor) {
    std::vector<request> requests;
    std::set<slot> data;
    for (const auto each : live_) {
      if (!random_.one_in(2)) continue;
      requests.push_back({each, static_cast<access_mode>(random_.below(5))});
      if (requests.back().mode != access_mode::reduce) data.insert(each);
    }
    ASSERT_EQ(books_.room_for(executor, requests) <= rules_.bytes,
              expected_.room_for(executor, data) <= rules_.bytes);
    if (expected_.room_for(executor, data) > rules_.bytes) return;
    std::vector<effect> effects(requests.size());
    books_.run(executor, requests, effects, &ended_);
    expected_.make_room(executor, data);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const effect wanted = expected_.use(executor, requests[i]);
      ASSERT_EQ(effects[i].fetch, wanted.fetch);
      ASSERT_EQ(effects[i].write_back, wanted.write_back);
      ASSERT_EQ(effects[i].version_read, wanted.version_read);
      if (wanted.fetch) {
        ASSERT_EQ(effects[i].source, wanted.source);
      }
    }
    expected_.after(executor, requests, effects);
  }
  [[nodiscard]] std::vector<copy> holders() const {
    std::vector<copy> all;
    for (const slot datum : live_) {
      for (int r = 0; r < ranks_; ++r) {
        const copy each{datum, static_cast<std::uint32_t>(r)};
        if (expected_.holds(datum, each.rank)) all.push_back(each);
      }
    }
    return all;
  }
  /// What was there and is not any more was named; what was named is not there.
  void check_ended(const std::vector<copy>& before) {
    std::vector<copy> named = ended_.before;
    named.insert(named.end(), ended_.after.begin(), ended_.after.end());
    for (const copy each : before) {
      const bool lives = std::ranges::find(live_, each.datum) != live_.end();
      if (!lives || books_.holds(each.datum, each.rank)) continue;
      ASSERT_NE(std::ranges::find(named, each), named.end())
          << "datum " << each.datum << " rank " << each.rank;
    }
    for (const copy each : named) {
      ASSERT_FALSE(books_.holds(each.datum, each.rank))
          << "datum " << each.datum << " rank " << each.rank;
    }
  }

  deed::random_source random_;
  int ranks_;
  copy_rules rules_;
  ledger books_;
  model expected_;
  std::vector<slot> live_;
  ended_copies ended_;
};

TEST(ledger, agrees_with_the_model_on_a_hundred_thousand_random_histories) {
  for (std::uint64_t seed = 0; seed < 100'000; ++seed) {
    history(seed).play();
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
