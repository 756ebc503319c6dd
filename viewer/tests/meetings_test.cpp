// SPDX-License-Identifier: MIT
// Who waits for whom in collective calls, in runs that were written by hand.
#include "analysis/match/meetings.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace deed::viewer;
using deed::trace::collective_kind;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t us = 1'000;

class collective_calls : public testing::Test {
 protected:
  void stays(int rank, collective_kind kind, std::uint32_t root, std::int64_t from, std::int64_t to,
             std::uint32_t group = 0) {
    constexpr std::uint64_t collective = 8;
    const std::uint64_t call = deed::trace::collective_call{kind, root, group}.word();
    log.add(from * us, rank, app, record::wait_begin, {collective, call, 0});
    log.add(to * us, rank, app, record::wait_end, {collective, call});
  }
  /// "0-90 for 2 since 80", of one rank.
  std::vector<std::string> of_rank(int rank) {
    const opened run(folder, log);
    std::vector<std::string> said;
    for (const meeting_stay& each : run.things().met().of_rank(rank))
      said.push_back(std::to_string(each.time.from / us) + "-" + std::to_string(each.time.to / us) +
                     " for " + std::to_string(each.awaited) + " since " +
                     std::to_string(each.since / us));
    return said;
  }

  scratch_folder folder;
  event_log log{folder.path() + "/run.deed", 3, 1, 1};
};

class rooted_calls : public collective_calls {
 protected:
  /// Rank 2 comes last to each.
  rooted_calls() {
    for (const auto kind : {collective_kind::gather, collective_kind::broadcast}) {
      const std::int64_t at = kind == collective_kind::gather ? 0 : 200;
      stays(0, kind, 0, at + 10, at + 90);
      stays(1, kind, 0, at + 5, at + 30);
      stays(2, kind, 0, at + 80, at + 91);
    }
  }
};

TEST_F(rooted_calls, that_bring_to_the_root_keep_it_until_the_last_came) {
  EXPECT_THAT(of_rank(0), ElementsAre("10-90 for 2 since 80"));
}

TEST_F(rooted_calls, that_bring_from_the_root_keep_those_who_came_before_it) {
  EXPECT_THAT(of_rank(1), ElementsAre("205-230 for 0 since 210"));
}

/// The root sends to ranks 1 and 2, and rank 2, which comes last, to rank 3.
TEST(broadcasts, keep_who_is_behind_one_that_is_late) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 4, 1, 1);
  const std::uint64_t call = deed::trace::collective_call{collective_kind::broadcast, 0, 0}.word();
  for (const int rank : {0, 1, 2, 3}) {
    log.add((rank == 2 ? 70 : rank) * us, rank, app, record::wait_begin, {8, call, 0});
    log.add((rank == 1 ? 10 : 80 + rank) * us, rank, app, record::wait_end, {8, call});
  }
  const opened run(folder, log);
  const auto last = run.things().met().of_rank(3);
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last[0].awaited, 2);
  EXPECT_THAT(run.things().met().of_rank(1), IsEmpty());
}

TEST_F(rooted_calls, keep_nobody_who_came_last) { EXPECT_THAT(of_rank(2), IsEmpty()); }

TEST_F(rooted_calls, of_which_one_is_missing_say_nothing) {
  stays(0, collective_kind::gather, 0, 400, 490);
  EXPECT_THAT(of_rank(0), IsEmpty());
  EXPECT_THAT(of_rank(1), ElementsAre("205-230 for 0 since 210"))
      << "of the broadcast all is there";
}

TEST_F(rooted_calls, are_seen_by_who_waits_for_whom) {
  log.add(6 * us, 0, worker, record::state, {2, 0, 0});
  log.add(300 * us, 0, worker, record::state, {0, 0, 0});
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[0], ElementsAre(0, 0, 70 * us));
  const auto edges = wait_graph(run.things(), 20 * us);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].waits, 0);
  EXPECT_EQ(edges[0].awaited, 2);
}

TEST_F(collective_calls, of_a_group_keep_those_who_come_to_them) {
  stays(0, collective_kind::barrier, 0, 10, 91, 1);
  stays(2, collective_kind::barrier, 0, 80, 90, 1);
  EXPECT_THAT(of_rank(0), ElementsAre("10-91 for 2 since 80"));
}

class calls_of_two_groups : public collective_calls {
 protected:
  /// Ranks 0 and 1 have left when rank 2 comes to the call of another group with that number.
  calls_of_two_groups() {
    stays(0, collective_kind::all_reduce, 0, 10, 22, 1);
    stays(1, collective_kind::all_reduce, 0, 20, 21, 1);
    stays(2, collective_kind::all_reduce, 0, 40, 50, 1);
  }
};

TEST_F(calls_of_two_groups, with_one_number_say_nothing) { EXPECT_THAT(of_rank(0), IsEmpty()); }

TEST_F(calls_of_two_groups, are_named_as_time_of_which_nobody_knows_for_whom) {
  const opened run(folder, log);
  EXPECT_THAT(waits(run.things(), {}, {}).sentences,
              Contains(HasSubstr("23.0 us in calls of groups")));
}

TEST_F(collective_calls, of_a_group_to_which_one_does_not_come_are_for_that_one) {
  for (const int rank : {0, 2}) stays(rank, collective_kind::barrier, 0, 10, 20, 1);
  log.add(30 * us, 0, app, record::wait_begin,
          {8, deed::trace::collective_call{collective_kind::barrier, 0, 1}.word(), 0});
  log.add(90 * us, 1, app, record::state, {0, 0, 0});
  const opened run(folder, log);
  const auto left = run.things().met().unfinished();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].rank, 0);
  EXPECT_THAT(left[0].missing, ElementsAre(2));
}

/// Of the calls of rank 1 another is recorded than of the others.
TEST_F(collective_calls, that_have_no_moment_in_common_are_not_one) {
  stays(0, collective_kind::broadcast, 0, 80, 81);
  stays(1, collective_kind::broadcast, 0, 10, 20);
  stays(2, collective_kind::broadcast, 0, 70, 82);
  EXPECT_THAT(of_rank(1), IsEmpty());
  EXPECT_THAT(of_rank(2), ElementsAre("70-82 for 0 since 80"));
}

/// Rank 1 left two before the others recorded any.
TEST_F(collective_calls, that_all_make_are_matched_behind_what_one_made_alone) {
  for (const std::int64_t at : {0, 10}) stays(1, collective_kind::all_reduce, 0, at, at + 5);
  stays(0, collective_kind::all_reduce, 0, 30, 41);
  stays(1, collective_kind::all_reduce, 0, 31, 42);
  stays(2, collective_kind::all_reduce, 0, 40, 43);
  EXPECT_THAT(of_rank(1), ElementsAre("31-42 for 2 since 40"));
}

}  // namespace
