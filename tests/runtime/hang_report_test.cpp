// SPDX-License-Identifier: MIT
// What a proved deadlock leaves behind.
#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include <gtest/gtest.h>
#include <inquest.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr deed::message_tag tag{7};

/// Both ranks receive before they send.
void receive_first(deed::session& session) {
  const int other = 1 - session.rank();
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  auto got = session.register_data(deed::per_rank, 0.0, {.name = "got"});
  session.receive(deed::write(got), deed::from{other}, tag);
  static_cast<void>(session.borrow(deed::read(got)));
  session.send(deed::read(mine), deed::to{other}, tag);
}

class hang_report : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  /// What the deadlock says.
  static std::string deadlock(const deed::session_options& options) {
    try {
      test::on_virtual_ranks(2, receive_first, 1, options);
    } catch (const deed::deadlock_error& thrown) {
      return thrown.what();
    }
    return "no deadlock";
  }
  static nlohmann::json content(const std::string& file) {
    std::ifstream in(file);
    return nlohmann::json::parse(in);
  }
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("deed_hang_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(hang_report, says_what_each_rank_waits_for) {
  const std::string file = folder_ / "hang.json";
  const std::string said = deadlock({.hang_report = file});
  EXPECT_NE(said.find("\n  report      " + file), std::string::npos) << said;
  const auto found = content(file);
  EXPECT_EQ(found["format"], "deed-hang");
  EXPECT_EQ(found["code"], "D511");
  ASSERT_EQ(found["ranks"].size(), 2u);
  for (int rank = 0; rank < 2; ++rank) {
    const auto& one = found["ranks"][static_cast<std::size_t>(rank)];
    EXPECT_EQ(one["rank"], rank);
    ASSERT_EQ(one["waits"].size(), 1u);
    EXPECT_EQ(one["waits"][0]["peer"], 1 - rank);
    EXPECT_EQ(one["waits"][0]["tag"], 7);
  }
}

/// Rank 0 stands at the barrier of a group, to which rank 2 does not come before that of all ranks.
TEST_F(hang_report, says_for_whom_a_rank_stands_at_a_barrier_of_all_ranks) {
  const std::string file = folder_ / "hang.json";
  std::string said;
  int line = 0;
  try {
    const auto program = [&](deed::session& session) {
      auto group = session.group({deed::rank{0}, deed::rank{2}});
      if (session.rank() == 0) group.barrier();
      line = __LINE__ + 1;
      session.barrier();
      if (session.rank() == 2) group.barrier();
    };
    test::on_virtual_ranks(4, program, 1, {.hang_report = file});
  } catch (const deed::deadlock_error& thrown) {
    said = thrown.what();
  }
  const std::string where = "hang_report_test.cpp:" + std::to_string(line);
  EXPECT_NE(said.find("rank 1  stands in barrier() at " + where + ", to which rank 0 has not come"),
            std::string::npos)
      << said;
  const auto found = content(file);
  for (const int rank : {1, 2, 3}) {
    const auto& waits = found["ranks"][static_cast<std::size_t>(rank)]["waits"];
    ASSERT_EQ(waits.size(), 1u) << rank;
    EXPECT_EQ(waits[0]["peer"], 0);
    EXPECT_EQ(waits[0]["collective"], "`barrier()`");
    EXPECT_EQ(waits[0]["called"], where);
  }
}

TEST_F(hang_report, lies_in_the_folder_of_a_recorded_run) {
  deed::session_options options;
  options.trace.path = folder_ / "run.deed";
  deadlock(options);
  EXPECT_EQ(content(folder_ / "run.deed" / "hang.json")["format"], "deed-hang");
}

TEST_F(hang_report, that_cannot_be_written_hides_no_deadlock) {
  const std::string said = deadlock({.hang_report = folder_ / "none" / "hang.json"});
  EXPECT_NE(said.find("D511"), std::string::npos) << said;
  EXPECT_NE(said.find("cannot be written"), std::string::npos) << said;
}

TEST_F(hang_report, is_not_made_unless_it_is_wanted) {
  EXPECT_EQ(deadlock({}).find("\n  report "), std::string::npos);
}

TEST(verdict, names_a_circle_of_a_hundred_thousand_ranks) {
  constexpr int ranks = 100'000;
  std::vector<deed::runtime::statement> all;
  for (int r = 0; r < ranks; ++r) {
    deed::runtime::statement& each = all.emplace_back();
    each.rank = r;
    each.waits.push_back({.message = true, .peer = (r + 1) % ranks, .waits = "a receive"});
  }
  const deed::runtime::verdict found = judge(all, {});
  EXPECT_EQ(static_cast<deed::error_code>(found.code), deed::error_code::circular_wait);
  EXPECT_EQ(found.labels.size(), found.texts.size());
  EXPECT_LT(found.texts.size(), 50u);
}

/// A report names where a few data were registered, and the last of six ranks has the cause.
TEST(verdict, says_first_where_that_was_registered_which_is_the_cause) {
  constexpr int ranks = 6, owner = 9, last = ranks - 1;
  std::vector<deed::runtime::statement> all;
  std::vector<deed::runtime::testimony> known;
  for (int r = 0; r < ranks; ++r) {
    const std::string name = "`d" + std::to_string(r) + "`";
    const auto tag_of_it = static_cast<std::uint64_t>(r);
    deed::runtime::statement& each = all.emplace_back();
    each.rank = r;
    each.waits.push_back({.peer = owner,
                          .owner = owner,
                          .tag = tag_of_it,
                          .datum = name,
                          .registered = name + " at x.cpp:" + std::to_string(r),
                          .waits = "a task"});
    known.push_back({.rank = owner, .tag = tag_of_it});
    if (r == last) continue;
    known.back().known = true;
    known.back().due.push_back({r, 0});
  }
  const deed::runtime::verdict found = judge(all, known);
  EXPECT_EQ(static_cast<deed::error_code>(found.code), deed::error_code::registrations_differ);
  const auto first = std::ranges::find(found.labels, "registered");
  ASSERT_NE(first, found.labels.end());
  EXPECT_EQ(found.texts[static_cast<std::size_t>(first - found.labels.begin())], "`d5` at x.cpp:5");
}

/// Of the group of ranks 0, 2, 3: rank 0 stands in its second call, ranks 2 and 3 have made one;
/// rank 1 stands in the second call of another group with that number.
TEST(verdict, names_the_members_that_have_not_come_to_a_call_of_their_group) {
  const deed::runtime::group_name group{1, {0, 2, 3}}, other{1, {1, 0}};
  std::vector<deed::runtime::statement> all;
  for (int r = 0; r < 4; ++r) {
    deed::runtime::statement& each = all.emplace_back();
    each.rank = r;
    each.where = "wait() at x.cpp:9";
    each.calls = {{{}, 0}, {r == 1 ? other : group, r < 2 ? 2u : 1u}};
  }
  all[0].waits.push_back({.message = true,
                          .peer = 2,
                          .tag = 1,
                          .collective = "`barrier` in the group of ranks 0, 2, 3",
                          .called = "x.cpp:7",
                          .group = group});
  all[1].waits.push_back({.message = true,
                          .peer = 0,
                          .tag = 1,
                          .collective = "`gather` to rank 1 in the group of ranks 1, 0",
                          .called = "x.cpp:8",
                          .group = other});
  const deed::runtime::verdict found = judge(all, {});
  EXPECT_EQ(static_cast<deed::error_code>(found.code), deed::error_code::step_not_reached);
  EXPECT_EQ(found.happened, "not every rank reaches `barrier` in the group of ranks 0, 2, 3");
  EXPECT_EQ(found.texts.front(),
            "`barrier` in the group of ranks 0, 2, 3, at x.cpp:7, collective call #1 of the group, "
            "waits for rank 2");
  EXPECT_EQ(found.labels.back(), "ranks 2, 3");
  EXPECT_EQ(found.texts.back(), "have not made this call   <-- likely cause");
}

/// Rank 1 is to send behind a call that rank 0 makes behind the receive. Its part of an earlier
/// call has come to rank 0.

/// As long as it thinks, ranks wait, and take it for gone after a minute.
TEST(verdict, of_a_thousand_ranks_in_one_call_comes_at_once) {
  constexpr int ranks = 1000;
  constexpr std::uint64_t calls = 512;
  deed::runtime::calls_made made{.with = {}, .count = calls};
  for (std::uint64_t i = 0; i < calls; ++i) made.known.push_back({.before = i, .where = "x.cpp:7"});
  std::vector<deed::runtime::statement> all;
  for (int r = 0; r < ranks; ++r) {
    deed::runtime::statement& each = all.emplace_back();
    each.rank = r;
    each.waits.push_back({.message = true,
                          .peer = (r + 1) % ranks,
                          .tag = calls - 1,
                          .collective = "`all_reduce`",
                          .called = "x.cpp:7"});
    each.calls = {made};
  }
  const auto begin = std::chrono::steady_clock::now();
  const deed::runtime::verdict found = judge(all, {});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(static_cast<deed::error_code>(found.code), deed::error_code::circular_wait);
}

TEST(verdict, accuses_no_rank_of_a_circle_of_three) {
  std::vector<deed::runtime::statement> all;
  for (int r = 0; r < 3; ++r) {
    deed::runtime::statement& each = all.emplace_back();
    each.rank = r;
    each.waits.push_back({.message = true, .peer = (r + 1) % 3, .waits = "a receive"});
  }
  const deed::runtime::verdict found = judge(all, {});
  EXPECT_EQ(found.labels.back(), "");
  EXPECT_EQ(found.texts.back(),
            "each rank of the circle receives before it sends   <-- likely cause");
}

TEST(verdict, takes_no_part_of_a_call_for_a_message_with_another_tag) {
  std::vector<deed::runtime::statement> all;
  for (int r = 0; r < 2; ++r) {
    deed::runtime::statement& each = all.emplace_back();
    each.rank = r;
    each.where = "borrow() at x.cpp:9";
    each.calls = {{{}, r == 0 ? 0u : 2u}};
  }
  all[0].waits.push_back({.message = true, .peer = 1, .tag = 3, .waits = "a receive"});
  all[0].strays.push_back({.arrived = true, .peer = 1, .collective = "`gather` to rank 0"});
  all[1].waits.push_back({.message = true,
                          .peer = 0,
                          .tag = 1,
                          .collective = "`broadcast` from rank 0",
                          .called = "x.cpp:7"});
  const deed::runtime::verdict found = judge(all, {});
  EXPECT_EQ(static_cast<deed::error_code>(found.code), deed::error_code::receive_never_matched);
  EXPECT_EQ(found.labels.back(), "rank 1");
  EXPECT_EQ(found.texts.back(),
            "has no such message under way, and stands in `broadcast` from rank 0, at x.cpp:7, to "
            "which rank 0 has not come   <-- "
            "likely cause");
}

/// So does one at a barrier of all ranks.
TEST(verdict, names_the_barrier_before_which_a_message_is_not_sent) {
  std::vector<deed::runtime::statement> all(2);
  all[1].rank = 1;
  all[1].where = "barrier() at x.cpp:7";
  all[1].rounds = 1;
  all[1].in_round = true;
  all[0].waits.push_back({.message = true, .peer = 1, .tag = 3, .waits = "a receive"});
  const deed::runtime::verdict found = judge(all, {});
  EXPECT_EQ(static_cast<deed::error_code>(found.code), deed::error_code::receive_never_matched);
  EXPECT_EQ(found.texts.back(),
            "has no such message under way, and stands in barrier() at x.cpp:7, to which rank 0 "
            "has not come   <-- likely cause");
}

/// Both have made the call; what rank 1 gives is a message that rank 0 does not send.
TEST(verdict, does_not_say_of_a_rank_that_made_a_call_that_it_has_not) {
  std::vector<deed::runtime::statement> all;
  for (int r = 0; r < 2; ++r) {
    deed::runtime::statement& each = all.emplace_back();
    each.rank = r;
    each.where = "wait() at x.cpp:9";
    each.calls = {{{}, 1}};
  }
  all[0].waits.push_back(
      {.message = true, .peer = 1, .tag = 0, .collective = "`all_reduce`", .called = "x.cpp:7"});
  all[1].waits.push_back({.message = true, .peer = 0, .tag = 9, .datum = "`mine`"});
  const deed::runtime::verdict found = judge(all, {});
  EXPECT_EQ(found.happened, "a receive waits for a message that nobody sends");
  for (const std::string& each : found.texts)
    EXPECT_EQ(each.find("not made this call"), std::string::npos) << each;
}

}  // namespace
