// SPDX-License-Identifier: MIT
#include "partner_copies.hpp"

#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include "checkpoint.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <ranges>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace files = std::filesystem;
using deed::runtime::partners_of;
using ::testing::HasSubstr;
using ::testing::Not;

/// A folder for each rank, as on machines of their own; there as long as the test.
class machines {
 public:
  machines() {
    std::string pattern = (files::temp_directory_path() / "deed_partners.XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~machines() {
    std::error_code ignored;
    files::remove_all(path_, ignored);
  }
  machines(const machines&) = delete;
  [[nodiscard]] std::string of(int rank) const { return path_ + "/" + std::to_string(rank); }
  void lose(int rank) const { files::remove_all(of(rank)); }

 private:
  std::string path_;
};

constexpr deed::codelet grow{"grow", [](std::vector<int>& to, const std::vector<int>& from) {
                               to.push_back(static_cast<int>(to.size()));
                               for (std::size_t i = 0; i < to.size(); ++i)
                                 to[i] = (3 * to[i] + from[i % from.size()] + 1) % 10'007;
                             }};
constexpr deed::codelet count{"count", [](long& times) { ++times; }};

deed::session_options with_copies() {
  deed::session_options options;
  options.checkpoint.partner = true;
  return options;
}

/// Some ranks own no list, where there are more of them than lists.
class simulation {
 public:
  explicit simulation(deed::session& session, std::size_t length = 2)
      : session_(session),
        steps_(session.register_data(deed::per_rank, long{session.rank()}, {.name = "steps"})) {
    for (int i = 0; i < 3; ++i) {
      lists_.push_back(session.register_data(deed::owner{(i + 1) % session.size()},
                                             std::vector<int>(length, i), {.name = "list"}));
    }
  }
  void step() {
    for (std::size_t i = 1; i < lists_.size(); ++i)
      session_.insert_task(grow, deed::read_write(lists_[i]), deed::read(lists_[i - 1]));
    session_.insert_task(grow, deed::read_write(lists_[0]), deed::read(lists_[2]));
    session_.insert_task(count, deed::read_write(steps_));
  }
  /// On every rank, of what it owns.
  std::uint64_t hash() {
    session_.wait();
    std::uint64_t all = static_cast<std::uint64_t>(*session_.borrow(deed::read(steps_)));
    for (const auto& each : lists_) {
      if (!session_.owns(each)) continue;
      const auto list = session_.borrow(deed::read(each));
      all ^= deed::runtime::hash_of(std::as_bytes(std::span(*list)));
    }
    return all;
  }

 private:
  deed::session& session_;
  deed::handle<long> steps_;
  std::vector<deed::handle<std::vector<int>>> lists_;
};

struct ended {
  std::uint64_t from = 0;               // The epoch that it went on from.
  std::map<int, std::uint64_t> hashes;  // Of all ranks.
  std::string said;
};

/// Steps up to `last` with a checkpoint after each; every rank has a folder of its own.
ended run(int ranks, const machines& all, int last,
          const deed::session_options& options = with_copies(), std::size_t length = 2) {
  ended result;
  ::testing::internal::CaptureStderr();
  try {
    test::on_virtual_ranks(
        ranks,
        [&](deed::session& session) {
          simulation now(session, length);
          const std::string folder = all.of(session.rank());
          const std::uint64_t begin = session.resume(folder).value_or(0);
          for (auto step = begin; step < static_cast<std::uint64_t>(last);) {
            now.step();
            EXPECT_TRUE(session.checkpoint(folder, ++step));
          }
          result.hashes[session.rank()] = now.hash();
          if (session.rank() == 0) result.from = begin;
        },
        1, options);
  } catch (const deed::error& thrown) {
    result.said = thrown.what();
  }
  result.said += ::testing::internal::GetCapturedStderr();
  return result;
}

void flip(const std::string& path) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  ASSERT_TRUE(file.good()) << path;
  const char old = static_cast<char>(file.get());
  file.seekp(0);
  file.put(static_cast<char>(old ^ 4));
}

std::string content_of(const std::string& path) {
  std::ostringstream all;
  all << std::ifstream(path, std::ios::binary).rdbuf();
  return all.str();
}

TEST(partners, each_rank_keeps_the_copies_of_one) {
  using ranks = std::vector<std::uint32_t>;
  EXPECT_EQ(partners_of(std::vector{0}), (ranks{0}));
  EXPECT_EQ(partners_of(std::vector{0, 0}), (ranks{1, 0}));
  EXPECT_EQ(partners_of(std::vector{0, 0, 0, 0}), (ranks{2, 3, 0, 1}));
  EXPECT_EQ(partners_of(std::vector{0, 1, 0, 1}), (ranks{1, 0, 3, 2}));
  EXPECT_EQ(partners_of(std::vector{0, 0, 0, 3}), (ranks{2, 3, 0, 1}));
}

TEST(partners, it_lies_on_another_machine_unless_one_has_more_than_half_of_all) {
  std::mt19937 random(3);
  int tried = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<int> machine_of(1 + random() % 30);
    std::map<int, std::size_t> sizes;
    for (int& each : machine_of) ++sizes[each = static_cast<int>(random() % (1 + random() % 8))];
    const auto partners = partners_of(machine_of);
    EXPECT_EQ(std::set(partners.begin(), partners.end()).size(), machine_of.size());
    const std::size_t largest = std::ranges::max(std::views::values(sizes));
    if (2 * largest > machine_of.size()) continue;
    ++tried;
    for (std::size_t rank = 0; rank < partners.size(); ++rank)
      EXPECT_NE(machine_of[partners[rank]], machine_of[rank]);
  }
  EXPECT_GT(tried, 200);
}

TEST(partner_copies, any_one_machine_may_be_lost) {
  for (const int ranks : {2, 3, 5}) {
    const machines unbroken;
    const ended wanted = run(ranks, unbroken, 5);
    for (int lost = 0; lost < ranks; ++lost) {
      const machines there;
      run(ranks, there, 3);
      there.lose(lost);
      const ended went = run(ranks, there, 4);
      EXPECT_EQ(went.from, 3u) << lost << " of " << ranks;
      EXPECT_THAT(went.said, HasSubstr("written anew from what another rank kept"));
      // What was written anew holds, too.
      const int next = (lost + 1) % ranks;
      there.lose(next);
      const ended last = run(ranks, there, 5);
      EXPECT_EQ(last.from, 4u) << next << " of " << ranks << ", after " << lost;
      EXPECT_EQ(last.hashes, wanted.hashes) << lost << " of " << ranks;
    }
  }
}

TEST(partner_copies, they_may_be_large) {
  constexpr std::size_t length = std::size_t{3} << 20;  // Several pieces on the way.
  const machines there;
  const ended before = run(2, there, 1, with_copies(), length);
  there.lose(1);
  const ended went = run(2, there, 1, with_copies(), length);
  EXPECT_EQ(went.from, 1u);
  EXPECT_EQ(went.hashes, before.hashes);
}

TEST(partner_copies, a_damaged_file_is_written_anew) {
  const machines there;
  run(3, there, 3);
  const std::string path = deed::runtime::file_of(there.of(2), 3, 2);
  const std::string whole = content_of(path);
  flip(path);
  const ended went = run(3, there, 3);
  EXPECT_EQ(went.from, 3u);
  EXPECT_THAT(went.said, HasSubstr("deed: rank 2: file `" + path + "` is damaged, at byte 0"));
  EXPECT_THAT(went.said, HasSubstr("it was written anew from what another rank kept\n"));
  EXPECT_EQ(content_of(path), whole);
  EXPECT_EQ(run(3, there, 3).said, "");
}

TEST(partner_copies, a_damaged_manifest_is_that_of_the_partner) {
  const machines there;
  run(2, there, 3);
  flip(deed::runtime::manifest_of(there.of(0), 3));
  EXPECT_EQ(run(2, there, 3).from, 3u);
}

TEST(partner_copies, where_a_file_and_its_copy_are_lost_the_error_names_both) {
  const machines there;
  run(4, there, 1);
  flip(deed::runtime::file_of(there.of(1), 1, 1));
  files::remove(deed::runtime::copy_of(there.of(3), 1, 1));
  const ended went = run(4, there, 2);
  EXPECT_THAT(went.said, HasSubstr("deed[D005] no checkpoint in `" + there.of(0) + "` is whole"));
  EXPECT_THAT(went.said, HasSubstr("because  rank 1: file `" + there.of(1) +
                                   "/generation-1/rank-1` is damaged, at byte 0"));
  EXPECT_THAT(went.said, HasSubstr("; its copy: rank 3: file `" + there.of(3) +
                                   "/generation-1/copy-of-rank-1` is damaged, at the start"));
}

TEST(partner_copies, where_both_are_lost_the_one_before_is_taken) {
  const machines unbroken, there;
  const ended wanted = run(2, unbroken, 4);
  run(2, there, 3);
  flip(deed::runtime::file_of(there.of(1), 3, 1));
  flip(deed::runtime::copy_of(there.of(0), 3, 1));
  const ended went = run(2, there, 4);
  EXPECT_EQ(went.from, 2u);
  EXPECT_EQ(went.hashes, wanted.hashes);
  EXPECT_THAT(went.said, HasSubstr("deed: goes on from epoch 2; what is newer in `"));
  EXPECT_TRUE(files::exists(there.of(0) + "/damaged-3"));
  EXPECT_TRUE(files::exists(there.of(1) + "/damaged-3"));
}

TEST(partner_copies, the_manifest_is_written_anew_too) {
  const machines there;
  run(3, there, 2);
  there.lose(0);
  EXPECT_EQ(run(3, there, 2).from, 2u);
  there.lose(1);  // It kept the manifest's copy.
  EXPECT_EQ(run(3, there, 2).from, 2u);
}

TEST(partner_copies, ranks_may_be_threads) {
  const machines there;
  std::atomic<int> found{0};
  for (int round = 0; round < 3; ++round) {
    there.lose(round);
    test::on_threads(
        3,
        [&](deed::session& session) {
          simulation now(session, 1000);
          const std::string folder = there.of(session.rank());
          if (session.resume(folder) == 7u) ++found;
          now.step();
          EXPECT_TRUE(session.checkpoint(folder, 7));
        },
        with_copies());
  }
  EXPECT_EQ(found, 6);
}

TEST(partner_copies, ranks_may_come_to_other_machines) {
  const machines unbroken, there;
  const ended wanted = run(3, unbroken, 4);
  run(3, there, 3);
  files::rename(there.of(0), there.of(9));
  files::rename(there.of(2), there.of(0));
  files::rename(there.of(9), there.of(2));
  const ended went = run(3, there, 4);
  EXPECT_EQ(went.from, 3u);
  EXPECT_EQ(went.hashes, wanted.hashes);
}

TEST(partner_copies, they_are_found_without_the_setting_too) {
  const machines there;
  run(3, there, 3);
  there.lose(0);
  EXPECT_EQ(run(3, there, 3, {}).from, 3u);
}

TEST(partner_copies, there_are_none_without_the_setting) {
  const machines there;
  run(3, there, 2, {});
  EXPECT_FALSE(files::exists(deed::runtime::copy_of(there.of(0), 2, 2)));
  EXPECT_FALSE(files::exists(deed::runtime::manifest_of(there.of(1), 2)));
  EXPECT_EQ(run(3, there, 3, {}).from, 2u);
  there.lose(1);
  EXPECT_THAT(run(3, there, 3, {}).said, HasSubstr("deed[D005]"));
}

TEST(partner_copies, without_them_the_first_ranks_folder_is_missed_too) {
  const machines there;
  run(3, there, 2, {});
  there.lose(0);
  const std::string said = run(3, there, 3, {}).said;
  EXPECT_THAT(said, HasSubstr("deed[D005]"));
  EXPECT_THAT(said, HasSubstr("rank 1: there are checkpoints in `" + there.of(0) +
                              "`, and none on rank 0"));
}

TEST(partner_copies, a_rank_without_values_has_none) {
  const machines there;
  const auto program = [&](deed::session& session) {
    const auto x = session.register_data(deed::owner{1}, 7, {.name = "x"});
    const std::string folder = there.of(session.rank());
    EXPECT_TRUE(session.checkpoint(folder, 1));
    EXPECT_TRUE(session.checkpoint(folder, 2));
  };
  test::on_virtual_ranks(3, program, 1, with_copies());
  EXPECT_FALSE(files::exists(deed::runtime::copy_of(there.of(1), 2, 0)));
  EXPECT_TRUE(files::exists(deed::runtime::copy_of(there.of(2), 2, 1)));
  there.lose(0);
  std::uint64_t found = 0;
  test::on_virtual_ranks(3, [&](deed::session& session) {
    const auto x = session.register_data(deed::owner{1}, 0, {.name = "x"});
    const auto epoch = session.resume(there.of(session.rank()));
    if (session.owns(x)) {
      EXPECT_EQ(*session.borrow(deed::read(x)), 7);
    }
    if (session.rank() == 0) found = epoch.value_or(0);
  });
  EXPECT_EQ(found, 2u);
}

TEST(partner_copies, one_rank_alone_keeps_none) {
  const machines there;
  EXPECT_EQ(run(1, there, 2).said,
            "deed: starts anew: there is no checkpoint in `" + there.of(0) + "`\n");
  EXPECT_FALSE(files::exists(deed::runtime::copy_of(there.of(0), 2, 0)));
}

TEST(partner_copies, two_generations_are_kept_everywhere) {
  const machines there;
  run(4, there, 6);
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(deed::runtime::generations_in(there.of(rank)), (std::vector<std::uint64_t>{6, 5}));
    for (const std::uint64_t each : {5u, 6u}) {
      const auto kept = static_cast<std::uint32_t>((rank + 2) % 4);
      EXPECT_TRUE(files::exists(deed::runtime::copy_of(there.of(rank), each, kept)));
      EXPECT_EQ(deed::runtime::is_whole(there.of(rank), each), rank == 0 || rank == 2);
    }
  }
}

TEST(partner_copies, a_run_that_starts_anew_counts_on_from_all_that_is_there) {
  const machines there;
  run(2, there, 3);
  there.lose(0);
  test::on_virtual_ranks(
      2,
      [&](deed::session& session) {
        simulation now(session);
        EXPECT_TRUE(session.checkpoint(there.of(session.rank()), 100));
      },
      1, with_copies());
  EXPECT_EQ(run(2, there, 3).from, 100u);
}

/// A disk of all ranks on which the k-th change is the last: half of a write is done then.
class dying_disk final : public deed::runtime::disk {
 public:
  explicit dying_disk(long calls) : left_(calls) {}
  [[nodiscard]] bool died() const { return left_ < 0; }

  int make_folder(const std::string& path) override {
    return lives() ? disk::make_folder(path) : EIO;
  }
  int create(const std::string& path, int& file) override {
    return lives() ? disk::create(path, file) : EIO;
  }
  int write(int file, std::span<const std::byte> bytes) override {
    if (lives()) return disk::write(file, bytes);
    if (left_ == -1) static_cast<void>(disk::write(file, bytes.first(bytes.size() / 2)));
    return EIO;
  }
  int sync(int file) override { return lives() ? disk::sync(file) : EIO; }
  int sync_folder(const std::string& path) override {
    return lives() ? disk::sync_folder(path) : EIO;
  }
  int rename(const std::string& from, const std::string& to) override {
    return lives() ? disk::rename(from, to) : EIO;
  }
  int remove(const std::string& path) override { return lives() ? disk::remove(path) : EIO; }

 private:
  bool lives() { return --left_ >= 0; }
  long left_;
};

TEST(partner_copies, a_run_that_ends_between_any_two_changes_of_disks_may_lose_a_machine) {
  std::map<std::uint64_t, int> found;
  for (long calls = 0;; ++calls) {
    const machines there;
    run(3, there, 2);
    dying_disk dying(calls);
    bool written = false;
    ::testing::internal::CaptureStderr();
    test::on_virtual_ranks(
        3,
        [&](deed::session& session) {
          simulation now(session);
          const std::string folder = there.of(session.rank());
          EXPECT_EQ(session.resume(folder), 2u);
          now.step();
          const bool well = deed::runtime::checkpoint(session, session.untyped(), dying, folder, 3,
                                                      deed::place::current());
          if (session.rank() == 0) written = well;
        },
        1, with_copies());
    static_cast<void>(::testing::internal::GetCapturedStderr());
    there.lose(static_cast<int>(calls % 3));
    const std::uint64_t epoch = run(3, there, 0).from;
    EXPECT_TRUE(epoch == 3 || (epoch == 2 && !written)) << "after " << calls << ": " << epoch;
    ++found[epoch];
    if (!dying.died()) break;
  }
  EXPECT_GT(found[2], 10);
  EXPECT_GT(found[3], 5);
}

}  // namespace
