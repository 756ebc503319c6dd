// SPDX-License-Identifier: MIT
// Who waits for whom in collective calls, in runs that were written by hand.
#include "analysis/match/meetings.hpp"

#include <deed/ownership/ledger.hpp>
#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/say/sentence.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;
using deed::trace::collective_kind;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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

/// Calls of the group {2, 0} of four ranks; rank 3 is in another one, which has that number there.
class calls_of_a_group : public testing::Test {
 protected:
  calls_of_a_group() {
    for (const int rank : {0, 2}) log.rank(rank).group_made(1, std::array{2, 0}, 0);
    log.rank(3).group_made(1, std::array{3, 1}, 0);
  }
  /// The program calls, its part begins, and it stands there until it goes on; `never`: it does
  /// not.
  void calls(int rank, collective_kind kind, std::uint32_t root, std::uint64_t number,
             std::int64_t called, std::int64_t began, std::int64_t gone) {
    constexpr std::uint64_t collective = 8;
    const std::uint64_t call = deed::trace::collective_call{kind, root, 1}.word();
    log.add(called * us, rank, app, record::collective_call, {call, number, 0});
    log.add(called * us, rank, app, record::wait_begin,
            {collective, call, 0, 0, 0, 0, 0, 0, number + 1});
    if (began != never) log.add(began * us, rank, worker, record::collective_begin, {call, number});
    if (gone != never) log.add(gone * us, rank, app, record::wait_end, {collective, call});
  }
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
  event_log log{folder.path() + "/run.deed", 4, 1, 1};
};

TEST_F(calls_of_a_group, that_bring_to_its_root_keep_it_until_what_another_gives_is_there) {
  calls(2, collective_kind::gather, 0, 0, 10, 10, 90);
  calls(0, collective_kind::gather, 0, 0, 20, 80, 81);
  EXPECT_THAT(of_rank(2), ElementsAre("10-90 for 0 since 80"));
}

TEST_F(calls_of_a_group, that_bring_from_its_root_keep_the_others_until_it_is_there) {
  calls(0, collective_kind::broadcast, 0, 0, 10, 10, 90);
  calls(2, collective_kind::broadcast, 0, 0, 70, 71, 72);
  EXPECT_THAT(of_rank(0), ElementsAre("10-90 for 2 since 71"));
}

TEST_F(calls_of_a_group, are_matched_by_their_numbers) {
  calls(0, collective_kind::barrier, 0, 3, 10, 10, 90);
  calls(2, collective_kind::barrier, 0, 2, 20, 20, 30);
  calls(2, collective_kind::barrier, 0, 3, 80, 80, 91);
  EXPECT_THAT(of_rank(0), ElementsAre("10-90 for 2 since 80"));
}

TEST_F(calls_of_a_group, are_none_of_another_group_with_its_number) {
  calls(3, collective_kind::barrier, 0, 0, 50, 50, 60);
  calls(0, collective_kind::barrier, 0, 0, 10, 10, 31);
  calls(2, collective_kind::barrier, 0, 0, 30, 30, 31);
  EXPECT_THAT(of_rank(0), ElementsAre("10-31 for 2 since 30"));
}

TEST_F(calls_of_a_group, to_which_one_never_comes_are_for_that_one) {
  calls(0, collective_kind::barrier, 0, 0, 10, 10, never);
  log.add(90 * us, 2, app, record::phase_push, {1, 0});
  const opened run(folder, log, left::killed);
  const auto edges = wait_graph(run.things(), 50 * us);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(std::pair(edges[0].waits, edges[0].awaited), std::pair(0, 2));
  EXPECT_EQ(edges[0].because,
            "`barrier of group 2,0`, where it stands since 10.0 us; rank 2 has not called it");
}

TEST_F(calls_of_a_group, of_which_one_gives_nothing_yet_say_so) {
  calls(2, collective_kind::gather, 0, 0, 10, 10, never);
  calls(0, collective_kind::gather, 0, 0, 20, never, never);
  const opened run(folder, log, left::killed);
  const auto edges = wait_graph(run.things(), 20 * us);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_THAT(edges[0].because, HasSubstr("`gather to rank 2 in group 2,0`"));
  EXPECT_THAT(edges[0].because, HasSubstr("rank 0 has called it, and what it gives is not there"));
}

TEST_F(calls_of_a_group, of_which_a_part_was_not_recorded_are_for_nobody) {
  calls(0, collective_kind::gather, 1, 0, 10, 10, 90);
  log.rank(2).group_made(1, std::array{2, 0},
                         0);  // Once more: that makes its text none of a group.
  calls(2, collective_kind::gather, 1, 0, 80, 80, 91);
  const opened run(folder, log);
  EXPECT_THAT(run.things().met().of_rank(0), IsEmpty());
  EXPECT_THAT(waits(run.things(), {}, {}).sentences,
              Contains(HasSubstr("in calls of groups, of whom is not known")));
}

TEST_F(calls_of_a_group, are_known_to_a_slice_in_which_a_program_stands_in_one) {
  for (const int rank : {0, 2}) calls(rank, collective_kind::barrier, 0, 0, 1 + rank, 1 + rank, 4);
  calls(0, collective_kind::barrier, 0, 1, 10, 10, 91);
  calls(2, collective_kind::barrier, 0, 1, 80, 80, 90);
  const opened run(folder, log);
  slice(run.events(), folder.path() + "/part.deed", {time_range{20 * us, 50 * us}, {}});
  const deed::viewer::run part(folder.path() + "/part.deed");
  const model things(part);
  const auto edges = wait_graph(things, part.end());
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_THAT(edges[0].because, HasSubstr("rank 2 has not called it"));
  EXPECT_THAT(check(things, {}, {}), IsEmpty()) << "it may call behind the slice";
}

/// The call of a root on its own datum, for which no request waits.
class calls_on_data : public calls_of_a_group {
 protected:
  calls_on_data() {
    constexpr auto before = deed::trace::collective_call{collective_kind::broadcast, 0, 1}.word();
    for (const int rank : {0, 2}) {
      log.rank(rank).handle_registered(
          {.handle = 1, .name = "all", .bytes = 24, .home_rank = deed::trace::every_rank});
      log.add(1 * us, rank, app, record::collective_call, {before, 0, 0});
      log.add(1 * us, rank, worker, record::collective_begin, {before, 0});
    }
    constexpr auto write = static_cast<std::uint64_t>(deed::trace::ledger_change::write);
    log.add(10 * us, 2, app, record::ledger_step,
            {deed::trace::no_step, write, 1, 0, deed::trace::every_rank, 1, 7});
    log.add(10 * us, 2, app, record::collective_call, {gather, 1, 7});
    log.add(11 * us, 2, worker, record::collective_begin, {gather, 1});
  }
  void borrows(std::int64_t from, std::int64_t to) {
    log.add(from * us, 2, app, record::wait_begin, {handle, 1, 0});
    if (to != never) log.add(to * us, 2, app, record::wait_end, {handle, 1});
  }
  void gives(std::int64_t called, std::int64_t began) {
    log.add(called * us, 0, app, record::collective_call, {gather, 1, 0});
    log.add(began * us, 0, worker, record::collective_begin, {gather, 1});
  }
  static constexpr std::uint64_t handle = 1;
  static constexpr std::uint64_t gather =
      deed::trace::collective_call{collective_kind::gather, 0, 1}.word();
};

TEST_F(calls_on_data, keep_who_borrows_what_they_bring_until_all_have_come) {
  borrows(12, 90);
  gives(20, 80);
  EXPECT_THAT(of_rank(2), ElementsAre("12-90 for 0 since 80"));
}

TEST_F(calls_on_data, are_waited_for_by_who_borrows_what_they_bring) {
  log.add(1 * us, 2, worker, record::state, {2, 0, 0});
  borrows(12, 90);
  gives(20, 80);
  log.add(95 * us, 2, worker, record::state, {0, 0, 0});
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[2], ElementsAre(68 * us, 0, 0, 0));
  const auto edges = wait_graph(run.things(), 15 * us);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].because,
            "`borrow` of all, which `gather to rank 2 in group 2,0` writes, where it stands since "
            "12.0 us; rank 0 has not called it");
}

/// The task runs when all have come, and its worker is there for it.
TEST_F(calls_on_data, keep_who_borrows_what_a_task_makes_of_what_they_bring) {
  constexpr std::uint64_t idle_dependency = 3, by_program = 3;
  log.rank(2).handle_registered(
      {.handle = 2, .name = "sum", .bytes = 24, .home_rank = deed::trace::every_rank});
  log.add(11 * us, 2, worker, record::state, {idle_dependency, 0, 0});
  log.add(11 * us, 2, app, record::task_submit, {5, 0, 2, 0, 0, 2});
  log.add(11 * us, 2, app, record::task_access, {5, 0, 1, read_it, 1, 1});
  log.add(11 * us, 2, app, record::task_access, {5, 1, 2, write_it, 0, 1});
  log.add(12 * us, 2, app, record::wait_begin, {handle, 2, 0});
  gives(20, 80);
  log.add(80 * us, 2, worker, record::task_ready, {5, by_program, 0});
  log.add(81 * us, 2, worker, record::task_begin, {5, 0});
  log.add(89 * us, 2, worker, record::task_end, {5, 0});
  log.add(90 * us, 2, app, record::wait_end, {handle, 2});
  log.add(95 * us, 2, worker, record::state, {0, 0, 0});
  const opened run(folder, log);
  EXPECT_THAT(wait_matrix(run.things())[2], ElementsAre(69 * us, 0, 0, 0));
  const auto edges = wait_graph(run.things(), 15 * us);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].because,
            "`borrow` of sum, whose task reads what `gather to rank 2 in group 2,0` writes, where "
            "it stands since 12.0 us; rank 0 has not called it");
}

/// Rank 0 came last, because of its task.
TEST_F(calls_on_data, lead_a_path_to_the_task_that_made_what_came_last) {
  log.rank(0).handle_registered(
      {.handle = 2, .name = "mine", .bytes = 24, .home_rank = deed::trace::every_rank});
  log.add(13 * us, 0, app, record::task_submit, {3, 0, 0, 0, 0, 1});
  log.add(13 * us, 0, app, record::task_access, {3, 0, 2, write_it, 0, 1});
  log.add(14 * us, 0, worker, record::task_begin, {3, 0});
  borrows(12, 90);
  log.add(79 * us, 0, worker, record::task_end, {3, 0});
  gives(20, 80);
  log.add(92 * us, 2, app, record::task_submit, {5, 0, 2, 0, 0, 0});
  log.add(92 * us, 2, worker, record::task_begin, {5, 0});
  log.add(99 * us, 2, worker, record::task_end, {5, 0});
  const opened run(folder, log);
  std::vector<std::string> steps;
  for (const path_step& each : critical_path(run.things()))
    steps.push_back(std::string(each.kind) + " " + std::to_string(each.end / us));
  EXPECT_THAT(steps, ElementsAre("submission 13", "queueing 14", "compute 79", "wait 80", "wait 90",
                                 "submission 92", "compute 99"));
}

TEST_F(calls_on_data, that_had_brought_it_keep_nobody) {
  gives(11, 12);
  borrows(13, 90);
  EXPECT_THAT(of_rank(2), IsEmpty());
}

TEST_F(calls_on_data, to_which_one_never_comes_are_for_that_one) {
  borrows(12, never);
  log.add(90 * us, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log, left::killed);
  const auto edges = wait_graph(run.things(), 50 * us);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(std::pair(edges[0].waits, edges[0].awaited), std::pair(2, 0));
}

TEST_F(calls_on_data, are_known_to_a_slice_in_which_a_program_borrows_what_they_bring) {
  borrows(12, 90);
  gives(60, 80);
  const opened run(folder, log);
  slice(run.events(), folder.path() + "/part.deed", {time_range{20 * us, 50 * us}, {}});
  const deed::viewer::run part(folder.path() + "/part.deed");
  const auto edges = wait_graph(model(part), part.end());
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_THAT(edges[0].because, HasSubstr("rank 0 has not called it"));
}

/// Each rank gives what its task `work` makes to an `all_gather`, of which its task `use` makes
/// what it gives to an `all_reduce`. The work of rank 2 takes until 60 us, and `use` of rank 0 is
/// last.
class calls_behind_calls : public testing::Test {
 protected:
  explicit calls_behind_calls(bool through_tasks = true) {
    for (const int rank : {0, 1, 2}) {
      for (const std::uint32_t handle : {1u, 2u, 3u, 4u})
        log.rank(rank).handle_registered(
            {.handle = handle, .name = "d", .bytes = 24, .home_rank = deed::trace::every_rank});
      const std::int64_t worked = rank == 2 ? 60 : 3, made = rank == 0 ? 70 : 64;
      inserts(rank, 1, 1, {{mine, write_it, 0}});
      runs(rank, 1, by_submit, 1, {2, worked});
      log.add(worked * us, rank, worker, record::state, {idle_dependency, 0, 0});
      calls(rank, all, 0, 4);
      log.add((worked + 1) * us, rank, worker, record::collective_begin, {word(0), 0});
      if (through_tasks) {
        inserts(rank, 2, 5, {{all, read_it, 1}, {sum, write_it, 0}});
        runs(rank, 2, by_program, 62, {63, made});
        log.add(made * us, rank, worker, record::state, {idle_no_task, 0, 0});
      }
      calls(rank, total, 1, 6);
      log.add((made + 1) * us, rank, worker, record::collective_begin, {word(1), 1});
      log.add(80 * us, rank, worker, record::state, {0, 0, 0});
    }
  }
  static std::uint64_t word(std::uint64_t number) {
    const auto kind = number == 0 ? collective_kind::all_gather : collective_kind::all_reduce;
    return deed::trace::collective_call{kind, 0, 0}.word();
  }
  struct used {
    std::uint64_t handle, mode, version;
  };
  void inserts(int rank, std::uint64_t number, std::int64_t when, std::vector<used> data) {
    log.add(when * us, rank, app, record::task_submit,
            {number, 0, static_cast<std::uint64_t>(rank), 0, 0, data.size()});
    for (std::uint64_t i = 0; i < data.size(); ++i)
      log.add(when * us, rank, app, record::task_access,
              {number, i, data[i].handle, data[i].mode, data[i].version,
               data[i].version + (data[i].mode == write_it ? 1 : 0)});
  }
  void runs(int rank, std::uint64_t number, std::uint64_t why, std::int64_t ready,
            std::pair<std::int64_t, std::int64_t> when) {
    log.add(ready * us, rank, worker, record::task_ready, {number, why, 0});
    log.add(when.first * us, rank, worker, record::task_begin, {number, 0});
    log.add(when.second * us, rank, worker, record::task_end, {number, 0});
  }
  void calls(int rank, std::uint64_t writes, std::uint64_t number, std::int64_t when) {
    constexpr auto write = static_cast<std::uint64_t>(deed::trace::ledger_change::write);
    log.add(when * us, rank, app, record::ledger_step,
            {deed::trace::no_step, write, writes, 0, deed::trace::every_rank, 1, 7 + number});
    log.add(when * us, rank, app, record::collective_call, {word(number), number, 7 + number});
  }
  void wait(std::uint64_t kind, std::uint64_t of) {
    for (const int rank : {0, 1, 2}) {
      log.add(7 * us, rank, app, record::wait_begin, {kind, of, 0});
      log.add(73 * us, rank, app, record::wait_end, {kind, of});
    }
  }

  static constexpr std::uint64_t mine = 1, all = 2, sum = 3, total = 4;
  static constexpr std::uint64_t idle_no_task = 2, idle_dependency = 3, by_submit = 0,
                                 by_program = 3, borrow = 1, for_all = 2;
  scratch_folder folder;
  event_log log{folder.path() + "/run.deed", 3, 1, 1};
};

/// Rank 0 was last for what `use` took alone: before, all waited for rank 2, and so did rank 0.
TEST_F(calls_behind_calls, are_waited_for_in_a_borrow_for_who_came_last_to_each) {
  wait(borrow, total);
  const opened run(folder, log);
  const auto time = wait_matrix(run.things());
  EXPECT_THAT(time[1], ElementsAre(7 * us, 0, 58 * us));
  EXPECT_THAT(time[0], ElementsAre(0, 0, 58 * us));
  EXPECT_THAT(time[2], ElementsAre(7 * us, 0, 0)) << "which was at work, and then as the others";
}

/// No request waits for them, and no task reads what the last one brings.
TEST_F(calls_behind_calls, are_waited_for_in_a_wait_for_all_for_who_came_last_to_each) {
  wait(for_all, 0);
  const opened run(folder, log);
  const auto time = wait_matrix(run.things());
  EXPECT_THAT(time[1], ElementsAre(7 * us, 0, 58 * us));
  EXPECT_THAT(time[0], ElementsAre(0, 0, 58 * us));
}

/// Each rank gives to an `all_reduce` what an `all_gather` brings it: rank 0 is the last to have
/// that, and the work of rank 2 is why.
class calls_of_calls : public calls_behind_calls {
 protected:
  calls_of_calls() : calls_behind_calls(false) { wait(borrow, total); }
};

TEST_F(calls_of_calls, are_waited_for_for_who_came_last_to_the_first) {
  const opened run(folder, log);
  const auto time = wait_matrix(run.things());
  EXPECT_THAT(time[0], ElementsAre(0, 0, 54 * us));
  EXPECT_THAT(time[1], ElementsAre(0, 0, 54 * us));
  EXPECT_THAT(time[2], ElementsAre(0, 0, 0));
}

TEST_F(calls_of_calls, lead_a_path_to_what_made_the_first_late) {
  inserts(1, 5, 74, {});
  runs(1, 5, by_submit, 74, {74, 79});
  const opened run(folder, log);
  std::vector<std::string> steps;
  for (const path_step& each : critical_path(run.things()))
    steps.push_back(std::string(each.kind) + " " + std::to_string(each.end / us));
  EXPECT_THAT(steps, ElementsAre("submission 1", "queueing 2", "compute 60", "wait 61", "wait 71",
                                 "wait 73", "submission 74", "compute 79"));
}

/// What rank 1 gives was not recorded: it came when it called. Who is last itself waits for nobody.
TEST(calls_of_all, of_which_the_begin_of_one_is_not_recorded_are_for_the_last) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 3, 1, 1);
  const std::uint64_t call = deed::trace::collective_call{collective_kind::all_reduce, 0, 0}.word();
  for (const int rank : {0, 1, 2}) {
    const std::int64_t at = (10 + 10 * rank) * us;
    log.add(at, rank, app, record::collective_call, {call, 0, 0});
    log.add(at, rank, app, record::wait_begin, {8, call, 0, 0, 0, 0, 0, 0, 1});
    if (rank != 1) log.add(at, rank, worker, record::collective_begin, {call, 0});
    log.add(90 * us, rank, app, record::wait_end, {8, call});
  }
  const opened run(folder, log);
  for (const int rank : {0, 1, 2}) {
    const auto stays = run.things().met().of_rank(rank);
    ASSERT_EQ(stays.size(), 1u);
    EXPECT_EQ(stays[0].awaited, 2);
    EXPECT_EQ(stays[0].since, 30 * us);
  }
}

TEST_F(calls_of_a_group, that_a_member_never_made_are_found_by_check) {
  calls(0, collective_kind::barrier, 0, 0, 10, 10, 31);
  calls(2, collective_kind::barrier, 0, 0, 30, 30, 31);
  calls(2, collective_kind::gather, 1, 1, 40, 40, 41);
  const opened run(folder, log);
  const auto found = check(run.things(), {}, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "all_call");
  EXPECT_EQ(found[0].rank, 0);
  EXPECT_THAT(found[0].sentence,
              HasSubstr("rank 0 never made `gather to rank 0 in group 2,0`, its call #1, which "
                        "rank 2 made at "));
}

/// The error of a deadlock ends a run whose ranks do not close their recording.
TEST_F(calls_of_a_group, that_a_member_never_made_before_a_deadlock_are_found_by_check) {
  for (const bool proved : {false, true}) {
    const scratch_folder mine;
    event_log of_it(mine.path() + "/run.deed", 2, 1, 1);
    for (const int rank : {0, 1}) of_it.rank(rank).group_made(1, std::array{0, 1}, 0);
    const std::uint64_t call = deed::trace::collective_call{collective_kind::barrier, 0, 1}.word();
    of_it.add(10 * us, 0, app, record::collective_call, {call, 0, 0});
    const auto said = of_it.rank(0).text(
        proved ? "deed[D404] deadlock: not every rank reaches `barrier`" : "deed[D404] no more");
    of_it.add(20 * us, 0, app, record::error,
              {404, none, none, nobody, 0, 0, ~std::uint32_t{0}, said});
    const opened run(mine, of_it, left::killed);
    const auto found = check(run.things(), "all_call");
    ASSERT_EQ(found.size(), proved ? 1u : 0u);
    if (proved) {
      EXPECT_THAT(found[0].sentence, HasSubstr("rank 1 never made `barrier of group 0,1`"));
    }
  }
}

TEST_F(calls_of_a_group, that_are_not_the_same_are_found_by_check) {
  calls(0, collective_kind::gather, 1, 0, 10, 10, 11);
  calls(2, collective_kind::gather, 0, 0, 20, 20, 21);
  const opened run(folder, log);
  const auto found = check(run.things(), {}, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].sentence, HasSubstr("call #0 of group 2,0"));
  EXPECT_THAT(found[0].sentence, HasSubstr("gather to rank 2"));
}

/// Members without a step would fill the screen.
TEST(calls_of_a_large_group, that_are_not_the_same_name_its_first_members) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 40, 1, 1);
  std::vector<int> members;  // Of no step.
  for (int i = 0; i < 20; ++i) members.insert(members.end(), {i, 39 - i});
  for (const int rank : {0, 1}) {
    const auto kind = rank == 0 ? collective_kind::barrier : collective_kind::all_reduce;
    log.rank(rank).group_made(1, members, 0);
    log.add(10 * us, rank, app, record::collective_call,
            {deed::trace::collective_call{kind, 0, 1}.word(), 0, 0});
  }
  const opened run(folder, log);
  EXPECT_THAT(check(run.things(), "all_call"),
              Contains(testing::Field(
                  &finding::sentence,
                  testing::ContainsRegex("call #0 of group 0,39,1,38,[0-9,]*,…,20 \\(40\\): `"))));
}

/// Ranks 0 and 1 gather in a group what is written to `all`, and rank 2 is no member: it counts no
/// change for that. Behind it all end copies of `x`; `wrong`: rank 1 knows another ownership.
void write_of_a_group(event_log& log, bool wrong) {
  using deed::trace::ledger_change;
  constexpr std::uint64_t gather =
      deed::trace::collective_call{collective_kind::gather, 0, 1}.word();
  for (const std::uint64_t rank : {0u, 1u, 2u}) {
    const int me = static_cast<int>(rank);
    deed::ownership::ledger ledger(3);
    std::uint64_t step = 0;
    const auto changes = [&](std::int64_t at, ledger_change what, std::uint64_t datum,
                             std::uint64_t owner, std::uint64_t version) {
      log.add(at, me, app, record::ledger_step,
              {++step, static_cast<std::uint64_t>(what), datum, datum, owner, version, 7});
    };
    for (const std::uint32_t datum : {0u, 1u}) {
      log.rank(me).handle_registered(
          {.handle = datum, .name = datum == 0 ? "x" : "all", .bytes = 24, .home_rank = 0});
      ledger.add(0, true, 24);
      changes(1'000 + datum, ledger_change::add, datum, 0, 0);
    }
    if (rank < 2) {
      log.rank(me).group_made(1, std::array{0, 1}, 0);
      ledger.write(1);
      changes(2'000, ledger_change::write, 1, deed::trace::nothing, 1);
      log.add(2'000, me, app, record::collective_call, {gather, 0, 7});
    }
    ledger.flush(0);
    changes(3'000, ledger_change::flush, 0, deed::trace::nothing, 0);
    const std::uint64_t knows = ledger.digest() + (wrong && rank == 1 ? 1 : 0);
    log.add(4'000, me, app, record::ledger_digest, {0, knows, knows, step});
  }
}

TEST(calls_of_groups, that_write_a_datum_with_an_owner_are_no_guards_of_the_program) {
  for (const bool wrong : {false, true}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 3, 1, 1);
    write_of_a_group(log, wrong);
    const opened run(folder, log);
    const std::string said = text_of(say_check(run.things(), {}, {}));
    EXPECT_THAT(said, Not(HasSubstr("guards of the program")));
    EXPECT_THAT(said, HasSubstr("calls that the members of groups alone make write all: other"));
    EXPECT_THAT(said, HasSubstr("replayed for 3 of 3 changes"));
    EXPECT_EQ(check(run.things(), "ledger_mismatch", {}).size(), wrong ? 1u : 0u);
    EXPECT_EQ(check(run.things(), "ledgers_agree", {}).size(), wrong ? 1u : 0u);
    EXPECT_THAT(text_of(waits(run.things(), {}, {})), Not(HasSubstr("guards of the program")));
  }
}

/// Two groups of two each gather what is written to a datum of their own: all count as many
/// changes. Then all end copies of what ranks 0 and 1 wrote, of which ranks 2 and 3 have another
/// version.
TEST(calls_of_groups, that_write_as_often_as_those_of_another_group_are_no_mistakes) {
  using deed::trace::ledger_change;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 4, 1, 1);
  constexpr std::uint64_t gather =
      deed::trace::collective_call{collective_kind::gather, 0, 1}.word();
  for (const std::uint64_t rank : {0u, 1u, 2u, 3u}) {
    const int me = static_cast<int>(rank), first = me < 2 ? 0 : 2;
    deed::ownership::ledger ledger(4);
    std::uint64_t step = 0;
    const auto changes = [&](std::int64_t at, ledger_change what, std::uint64_t datum,
                             std::uint64_t owner, std::uint64_t version) {
      log.add(at, me, app, record::ledger_step,
              {++step, static_cast<std::uint64_t>(what), datum, datum, owner, version, 7});
    };
    const auto digest = [&](std::int64_t at, std::uint64_t epoch) {
      log.add(at, me, app, record::ledger_digest, {epoch, ledger.digest(), ledger.digest(), step});
    };
    for (const std::uint32_t datum : {0u, 1u}) {
      log.rank(me).handle_registered({.handle = datum,
                                      .name = datum == 0 ? "left" : "right",
                                      .bytes = 24,
                                      .home_rank = 2 * datum});
      ledger.add(2 * datum, true, 24);
      changes(1'000 + datum, ledger_change::add, datum, 2 * datum, 0);
    }
    log.rank(me).group_made(1, std::array{first, first + 1}, 0);
    const std::uint32_t own = me < 2 ? 0 : 1;
    ledger.write(own);
    changes(2'000, ledger_change::write, own, deed::trace::nothing, 1);
    log.add(2'000, me, app, record::collective_call, {gather, 0, 7});
    digest(3'000, 0);
    ledger.flush(0);
    changes(4'000, ledger_change::flush, 0, deed::trace::nothing, ledger.version(0));
    digest(5'000, 1);
  }
  const opened run(folder, log);
  const std::string said = text_of(say_check(run.things(), {}, {}));
  EXPECT_THAT(said, testing::StartsWith("nothing found\n"));
  EXPECT_THAT(said, HasSubstr("make write left, right: other"));
  EXPECT_THAT(said, HasSubstr("replayed for 3 of 3 changes"));
}

/// Rank 2, which is no member, has come to its wait when a task of rank 0 makes the change of which
/// all know.
TEST(calls_of_groups, that_write_come_between_changes_of_which_all_know) {
  using deed::trace::ledger_change;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 3, 1, 1);
  constexpr std::uint64_t gather =
      deed::trace::collective_call{collective_kind::gather, 0, 1}.word();
  for (const std::uint64_t rank : {0u, 1u, 2u}) {
    const int me = static_cast<int>(rank);
    log.rank(me).handle_registered({.handle = 0, .name = "all", .bytes = 24, .home_rank = 0});
    const auto changes = [&](std::uint64_t step, ledger_change what, std::uint64_t owner) {
      log.add(1'000 * static_cast<std::int64_t>(step), me, app, record::ledger_step,
              {step, static_cast<std::uint64_t>(what), 0, 0, owner, step - 1, 7});
    };
    changes(1, ledger_change::add, 0);
    if (me < 2) {
      log.rank(me).group_made(1, std::array{0, 1}, 0);
      changes(2, ledger_change::write, deed::trace::nothing);
      log.add(2'000, me, app, record::collective_call, {gather, 0, 7});
    }
    if (me == 0) {
      log.add(3'000, 0, app, record::task_submit, {1, 0, 0, 0, 0, 1, 3});
      log.add(3'000, 0, app, record::task_access, {1, 0, 0, 2, 1, 2});
    }
    if (me == 2) log.add(9'000, me, app, record::ledger_digest, {0, 5, 5, 2});
  }
  const opened run(folder, log);
  EXPECT_THAT(text_of(say_check(run.things(), {}, {})), HasSubstr("replayed for 2 of 2 changes"));
}

TEST(calls_of_groups, of_recordings_of_before_are_not_decided) {
  const run then(TESTS "/wide_stamps.deed");
  EXPECT_THAT(text_of(say_check(model(then), {}, {})),
              testing::ContainsRegex("all_call .*not recorded: calls had no numbers"));
}

TEST(members_of_groups, are_read_as_they_were_recorded) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 10, 1, 1);
  const std::vector<int> members{9, 0, 2, 4, 6, 1, 7, 8};
  log.rank(3).group_made(7, members, 0);
  const opened run(folder, log);
  const recorded_group* const group = run.things().group_of(3, 7);
  ASSERT_NE(group, nullptr);
  EXPECT_TRUE(group->is_whole());
  EXPECT_EQ(group->text, "9,0-6/2,1,7,8");
  EXPECT_EQ(group->members, members);
  EXPECT_EQ(run.things().group_of(2, 7), nullptr);
  const auto made = std::ranges::find(run.events().events(), record::group, &event::what);
  EXPECT_THAT(say_raw(run.things(), *made), HasSubstr("members=\"9,0-6/2,1,7,8\""));
  EXPECT_THAT(say_event(run.things(), *made),
              HasSubstr("rank 3 made a group of ranks 9,0-6/2,1,7,8"));
}

/// More than one record has room for.
TEST(members_of_groups, may_be_many) {
  constexpr int ranks = 2000;
  recorded_group group;
  const scratch_folder folder;
  deed::trace::recorder_options options;
  options.path = folder.path() + "/run.deed";
  deed::trace::recorder recorder(options, {{1, 2}, 0, 1});
  std::vector<int> members;  // Of no step.
  for (int i = 0; i < ranks; ++i) members.push_back(i % 2 == 0 ? i / 2 : ranks - 1 - i / 2);
  recorder.group_made(1, members, 0);
  recorder.close();
  const run events(options.path);
  std::size_t records = 0;
  for (const event& each : events.events()) {
    if (each.what != record::group) continue;
    ++records;
    group.size = events.get32(each, field::size);
    group.add(events.text(each, field::members), ranks);
  }
  EXPECT_GT(records, 1u);
  EXPECT_TRUE(group.is_whole());
  EXPECT_EQ(group.members, members);
}

TEST(members_of_groups, that_damaged_files_have_are_none) {
  for (const char* const text : {"0-9", "1,1", "0-", "-1", "x", "0-2/0", "3-1", "1;2"}) {
    recorded_group group;
    group.size = 2;
    group.add(text, 4);
    EXPECT_FALSE(group.is_whole()) << text;
  }
}

}  // namespace
