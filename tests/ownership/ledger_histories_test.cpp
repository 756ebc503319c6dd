// SPDX-License-Identifier: MIT
// Random histories of the ledger beside a model that says the same rules as plainly as they can be
// said: who has which version of what.
#include <deed/base/random.hpp>
#include <deed/ownership/ledger.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace {

using deed::access_mode;
using deed::ownership::effect;
using deed::ownership::ledger;
using deed::ownership::request;
using deed::ownership::slot;

class model {
 public:
  explicit model(std::uint32_t ranks) : ranks_(ranks) {}

  slot add(std::uint32_t owner, bool initialised) {
    slot datum = 0;
    while (data_.contains(datum)) ++datum;
    data_[datum] = {owner, 0, initialised, {}};
    if (initialised) value_at(data_[datum], owner);
    return datum;
  }
  void remove(slot datum) { data_.erase(datum); }

  [[nodiscard]] bool initialised(slot datum) const { return data_.at(datum).initialised; }
  [[nodiscard]] std::uint32_t owner(slot datum) const { return data_.at(datum).owner; }

  /// A rank that owns nothing here and has no copy of anything here need not hear of the task.
  [[nodiscard]] bool concerns(std::uint32_t rank, const std::vector<request>& requests) const {
    for (const request& asked : requests) {
      const auto& known = data_.at(asked.datum);
      if (known.owner == ledger::everywhere || known.owner == rank) return true;
      if (known.holders.contains(rank)) return true;
    }
    return false;
  }
  [[nodiscard]] std::uint32_t writer_of(const std::vector<request>& requests) const {
    std::set<std::uint32_t> owners;
    for (const request& asked : requests) {
      if (writes(asked.mode)) owners.insert(owner(asked.datum));
    }
    return owners.size() == 1 ? *owners.begin() : ledger::everywhere;
  }
  template <class Bytes>
  [[nodiscard]] std::uint32_t most_bytes(const std::vector<request>& requests, Bytes bytes) const {
    std::map<std::uint32_t, std::uint64_t> sums;
    std::set<slot> counted;
    for (const request& asked : requests) {
      std::uint64_t& sum = sums[owner(asked.datum)];
      if (reads(asked.mode) && counted.insert(asked.datum).second) sum += bytes(asked.datum);
    }
    std::uint32_t best = ledger::everywhere;
    for (const auto& [rank, sum] : sums) {
      if (best == ledger::everywhere || sum > sums[best]) best = rank;
    }
    return best;
  }

  effect use(std::uint32_t executor, request asked) {
    entry& known = data_.at(asked.datum);
    effect result{known.owner, known.version, false, false, known.owner};
    const bool shared = known.owner != ledger::everywhere;
    if (shared && reads(asked.mode)) result.fetch = known.holders.insert(executor).second;
    if (!writes(asked.mode)) return result;
    result.write_back = shared && known.owner != executor;
    write(asked.datum);
    if (shared) known.holders.insert(executor);
    return result;
  }
  /// By the owner.
  void write(slot datum) {
    entry& known = data_.at(datum);
    ++known.version;
    known.initialised = true;
    known.holders.clear();
    value_at(known, known.owner);
  }
  bool fetch(slot datum, std::uint32_t rank) {
    return owner(datum) != ledger::everywhere && data_.at(datum).holders.insert(rank).second;
  }
  bool migrate(slot datum, std::uint32_t to) {
    entry& known = data_.at(datum);
    known.owner = to;
    return known.initialised && known.holders.insert(to).second;
  }
  void flush(slot datum) {
    entry& known = data_.at(datum);
    known.holders.clear();
    if (known.initialised) value_at(known, known.owner);
  }

  void expect_equal(const ledger& books) const {
    for (const auto& [datum, known] : data_) {
      ASSERT_EQ(books.owner(datum), known.owner);
      ASSERT_EQ(books.version(datum), known.version);
      ASSERT_EQ(books.initialised(datum), known.initialised);
      for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
        ASSERT_EQ(books.holds(datum, rank), known.holders.contains(rank))
            << "datum " << datum << " rank " << rank;
      }
    }
  }

 private:
  struct entry {
    std::uint32_t owner, version;
    bool initialised;
    std::set<std::uint32_t> holders;  // Of the current version.
  };
  void value_at(entry& known, std::uint32_t owner) const {
    if (owner != ledger::everywhere) {
      known.holders.insert(owner);
      return;
    }
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) known.holders.insert(rank);
  }

  std::map<slot, entry> data_;
  std::uint32_t ranks_;
};

/// One history: random steps on both, compared after each decision and at the end.
class history {
 public:
  explicit history(std::uint64_t seed)
      : random_(seed),
        ranks_(static_cast<std::uint32_t>(1 + random_.below(9))),
        books_(static_cast<int>(ranks_)),
        expected_(ranks_) {}

  void step() {
    if (live_.empty() || random_.one_in(6)) return add();
    const slot datum = live_[random_.below(live_.size())];
    switch (random_.below(10)) {
      case 0:
        return remove(datum);
      case 1:
        if (shared(datum)) migrate(datum);
        return;
      case 2:
        books_.flush(datum);
        expected_.flush(datum);
        return;
      case 3:
        if (expected_.initialised(datum)) fetch(datum);
        return;
      case 4:
        books_.write(datum);
        expected_.write(datum);
        return;
      default:
        return task();
    }
  }
  /// Ranks to which a task was nothing.
  [[nodiscard]] int passed_by() const { return passed_by_; }
  [[nodiscard]] int kept() const { return kept_; }
  void end() const {
    const ledger copy = books_;
    EXPECT_EQ(copy, books_);
    expected_.expect_equal(books_);
  }

 private:
  std::uint32_t any_rank() { return static_cast<std::uint32_t>(random_.below(ranks_)); }
  [[nodiscard]] bool shared(slot datum) const {
    return expected_.owner(datum) != ledger::everywhere;
  }
  static std::uint64_t bytes_of(slot datum) { return 8 * (datum % 3); }

  void add() {
    const std::uint32_t owner = random_.one_in(8) ? ledger::everywhere : any_rank();
    const bool initialised = !random_.one_in(4);
    const slot datum = books_.add(owner, initialised);
    ASSERT_EQ(datum, expected_.add(owner, initialised)) << "the lowest free slot";
    live_.push_back(datum);
  }
  void remove(slot datum) {
    books_.remove(datum);
    expected_.remove(datum);
    std::erase(live_, datum);
  }
  void migrate(slot datum) {
    const auto target = any_rank();
    ASSERT_EQ(books_.migrate(datum, target), expected_.migrate(datum, target));
  }
  void fetch(slot datum) {
    const auto target = any_rank();
    ASSERT_EQ(books_.fetch(datum, target).has_value(), expected_.fetch(datum, target));
  }

  void task() {
    std::vector<request> requests;
    for (const slot each : live_) {
      if (!random_.one_in(2)) continue;
      const auto mode = static_cast<access_mode>(random_.below(4));
      if (reads(mode) && !expected_.initialised(each)) continue;
      requests.push_back({each, mode});
      if (mode == access_mode::read && random_.one_in(6)) requests.push_back({each, mode});
    }
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      ASSERT_EQ(books_.concerns(rank, requests), expected_.concerns(rank, requests)) << rank;
    }
    // What is per rank has no owner to choose: such tasks run where they are inserted.
    if (std::ranges::all_of(requests, [&](const request& r) { return shared(r.datum); })) {
      ASSERT_EQ(books_.writer_of(requests), expected_.writer_of(requests));
      ASSERT_EQ(books_.most_bytes(requests, bytes_of), expected_.most_bytes(requests, bytes_of));
    }

    const auto executor = random_.one_in(2) ? any_rank() : chosen_by(requests);
    std::vector<effect> effects(requests.size());
    const ledger before = books_;
    books_.run(executor, requests, effects);
    check_who_passes_by(before, executor, requests, effects);
    check_who_keeps_it(before, executor, requests, effects);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const effect wanted = expected_.use(executor, requests[i]);
      ASSERT_EQ(effects[i].owner, wanted.owner);
      ASSERT_EQ(effects[i].fetch, wanted.fetch);
      ASSERT_EQ(effects[i].write_back, wanted.write_back);
      ASSERT_EQ(effects[i].version_read, wanted.version_read);
    }
    // Whom the task did not concern had no copy before and has none now, unless it ran the task.
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      if (rank == executor || before.concerns(rank, requests)) continue;
      for (const request& asked : requests) ASSERT_FALSE(books_.holds(asked.datum, rank)) << rank;
    }
  }

  /// The owner of what is written, if that is one; else any rank.
  std::uint32_t chosen_by(std::span<const request> requests) {
    const std::uint32_t writer = books_.writer_of(requests);
    return writer == ledger::everywhere ? any_rank() : writer;
  }
  /// For each rank: the task was nothing to it and its books say the same, or nothing changed.
  void check_who_passes_by(const ledger& before, std::uint32_t executor,
                           std::span<const request> requests, std::span<const effect> effects) {
    const std::uint32_t named =
        before.writer_of(requests) == executor && random_.one_in(2) ? ledger::everywhere : executor;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      ledger seen = before;
      if (seen.run_without(rank, named, requests) == ledger::everywhere) {
        ASSERT_EQ(seen, before) << rank;
        continue;
      }
      ++passed_by_;
      ASSERT_EQ(seen, books_) << rank;
      ASSERT_NE(executor, rank);
      for (const effect& each : effects) {
        ASSERT_NE(each.owner, rank);
        if (each.fetch) {
          ASSERT_NE(each.source, rank);
        }
      }
    }
  }

  /// For each rank: the task was its own and its books say the same, or nothing changed.
  void check_who_keeps_it(const ledger& before, std::uint32_t executor,
                          std::span<const request> requests, std::span<const effect> effects) {
    const std::uint32_t named =
        before.writer_of(requests) == executor && random_.one_in(2) ? ledger::everywhere : executor;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      ledger seen = before;
      if (!seen.run_within(rank, named, requests)) {
        ASSERT_EQ(seen, before) << rank;
        continue;
      }
      ++kept_;
      ASSERT_EQ(seen, books_) << rank;
      ASSERT_EQ(executor, rank);
      for (const effect& each : effects) {
        ASSERT_EQ(each.owner, rank);
        ASSERT_FALSE(each.fetch || each.write_back);
      }
    }
  }

  deed::random_source random_;
  std::uint32_t ranks_;
  ledger books_;
  model expected_;
  std::vector<slot> live_;
  int passed_by_ = 0;
  int kept_ = 0;
};

TEST(ledger, agrees_on_placement_relevance_and_private_data_with_a_plain_model) {
  int passed_by = 0;
  int kept = 0;
  for (std::uint64_t seed = 0; seed < 100'000; ++seed) {
    history one(seed);
    for (int i = 0; i < 24 && !HasFatalFailure(); ++i) one.step();
    one.end();
    if (HasFailure()) FAIL() << "seed " << seed;
    passed_by += one.passed_by();
    kept += one.kept();
  }
  EXPECT_GT(passed_by, 100'000);
  EXPECT_GT(kept, 100'000);
}

}  // namespace
