// SPDX-License-Identifier: MIT
// The critical path and the slack of runs in which ranks wait for each other.
#include "analysis/ask/ask.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/ask/last_cause.hpp"
#include "analysis/ask/slack.hpp"
#include "blamed_run.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::Contains;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> steps_of(const model& of) {
  std::vector<std::string> said;
  for (const path_step& each : critical_path(of))
    said.push_back(std::string(each.kind) + " " + std::to_string(each.begin / us) + "-" +
                   std::to_string(each.end / us) +
                   (each.program < 0 ? "" : " by " + std::to_string(each.program)));
  return said;
}

TEST_F(late_sender, is_on_the_critical_path_and_what_made_it_late) {
  const opened run(folder, log);
  EXPECT_THAT(steps_of(run.things()),
              ElementsAre("submission 0-70 by 1", "network 70-74", "wait 74-75 by 0",
                          "submission 75-80 by 0", "network 80-85", "compute 85-95"));
}

/// The wait of rank 0 for all ends with what it sends, behind a task of rank 1 that is over before.
TEST_F(blamed_run, goes_from_a_wait_to_the_transfer_that_ended_it) {
  constexpr std::uint64_t for_all = 2;
  register_two(log);
  run_task(0, 0, 1 * us, 2 * us, 20 * us);
  log.add(3 * us, 0, app, record::xfer_post, {send, 0, 0, 1, 0, 24, 0, 0, 1});
  log.add(3 * us, 1, app, record::xfer_post, {receive, 0, 0, 0, 0, 24, 0, 0, 1});
  log.add(4 * us, 0, app, record::wait_begin, {for_all, 1, 0});
  log.add(21 * us, 0, worker, record::xfer_start, {0, 0, 1, 0, send, 0});
  log.add(30 * us, 1, worker, record::xfer_done, {0, 0, 0, 0, receive, 0});
  run_task(1, 1, 31 * us, 31 * us, 40 * us);
  log.add(45 * us, 0, worker, record::xfer_done, {0, 0, 1, 0, send, 0});
  log.add(46 * us, 0, app, record::wait_end, {for_all, 1});
  run_task(0, 2, 50 * us, 50 * us, 60 * us);
  const opened run(folder, log);
  EXPECT_THAT(steps_of(run.things()),
              ElementsAre("submission 0-3 by 0", "network 3-45", "wait 45-46 by 0",
                          "submission 46-50 by 0", "compute 50-60"));
}

/// Threads of ranks begin one after the other.
TEST(critical_path, begins_with_a_rank_that_had_not_started) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  log.add(30 * us, 1, app, record::task_submit, {0, 0, 1, 0, 0, 0});
  log.add(31 * us, 1, worker, record::task_begin, {0, 0});
  log.add(50 * us, 1, worker, record::task_end, {0, 0});
  log.add(20 * us, 1, app, record::ledger_step, {0, 0, none, none, none, 0, none});
  const opened run(folder, log);
  EXPECT_THAT(steps_of(run.things()),
              ElementsAre("not started yet 0-20 by 1", "submission 20-30 by 1", "queueing 30-31",
                          "compute 31-50"));
  EXPECT_THAT(text_of(say_critical_path(run.things())),
              testing::ContainsRegex("not started yet +rank 1\n"));
}

TEST_F(blamed_run, compares_clocks_before_the_program_submits) {
  stay(0, clocks, 2 * us, 30 * us);
  run_task(0, 0, 40 * us, 40 * us, 50 * us);
  const opened run(folder, log);
  EXPECT_THAT(steps_of(run.things()),
              ElementsAre("submission 0-2 by 0", "comparing clocks 2-30 by 0",
                          "submission 30-40 by 0", "compute 40-50"));
  EXPECT_THAT(text_of(say_critical_path(run.things())),
              HasSubstr("the program of rank 0, with other ranks"));
}

/// On virtual ranks tasks take no time: one ends when the other fails, and is of a smaller number.
TEST_F(blamed_run, leads_to_the_task_that_failed_when_another_one_ended) {
  run_task(0, 0, 1 * us, 2 * us, 50 * us);
  log.add(3 * us, 1, app, record::task_submit, {1, 0, 1, 0, 0, 0});
  log.add(3 * us, 1, app, record::task_ready, {1, 0, 0});
  log.add(50 * us, 1, worker, record::task_begin, {1, 0});
  log.add(50 * us, 1, worker, record::error, {807, none, 1, nobody, 0, 0, none, none});
  const opened run(folder, log);
  const auto path = critical_path(run.things());
  ASSERT_FALSE(path.empty());
  EXPECT_EQ(path.back().task, 1u);
  EXPECT_EQ(path.back().kind, "compute") << "also where it took no time";
}

/// Each asks at 80 us for what the other offers: neither is the cause of the other.
TEST_F(blamed_run, ends_a_path_where_two_wait_for_each_other) {
  register_two(log);
  constexpr std::uint64_t for_all = 2;
  for (int rank = 0; rank < 2; ++rank) {
    const auto mine = static_cast<std::uint64_t>(rank), other = 1 - mine;
    log.add(3 * us, rank, app, record::xfer_post, {send, mine, 0, other, 0, 24, 0, 0, 1});
    log.add(4 * us, rank, app, record::wait_begin, {for_all, 1, 0});
    log.add(10 * us, rank, worker, record::xfer_start, {mine, 0, other, 0, send, 0});
    log.add(80 * us, rank, app, record::xfer_post, {receive, other, 0, other, 0, 24, 0, 0, 1});
    log.add(80 * us, rank, worker, record::xfer_done, {other, 0, other, 0, receive, 0});
    log.add(80 * us, rank, worker, record::xfer_done, {mine, 0, other, 0, send, 0});
    log.add(80 * us, rank, app, record::wait_end, {for_all, 1});
  }
  run_task(0, 5, 81 * us, 82 * us, 90 * us);
  const opened run(folder, log);
  ASSERT_TRUE(run.things().transfers()[0].receiver_was_late());
  const auto path = critical_path(run.things());
  ASSERT_FALSE(path.empty());
  EXPECT_EQ(path.back().end, 90 * us);
}

/// What rank 2 contributed is on its way to rank 0 before.
TEST_F(reduced_run, leads_a_path_to_who_contributed_last) {
  const opened run(folder, log);
  EXPECT_THAT(steps_of(run.things()),
              ElementsAre("submission 0-1 by 1", "queueing 1-2", "compute 2-50", "network 50-52",
                          "network 52-60", "compute 60-90"));
}

/// The sum leaves at 53 us, and what rank 2 added up at 10 us takes 1 us to it.
TEST_F(reduced_run, gives_who_contributed_as_much_slack_as_the_sum_leaves) {
  const opened run(folder, log);
  const model& of = run.things();
  const std::vector<std::int64_t> later = slack(of);
  EXPECT_EQ(later[of.find_task(2, 2)], 42 * us);
  EXPECT_EQ(later[of.find_task(1, 1)], 0) << "it is on the critical path";
}

/// No task follows but the program that borrows the sum, at 60 us, and then inserts the last one.
TEST_F(blamed_run, gives_who_contributed_as_much_slack_as_a_borrow_of_the_sum_leaves) {
  constexpr std::uint64_t reduce_it = 3;
  log.rank(0).handle_registered({.handle = 0, .name = "sum", .bytes = 8, .home_rank = 0});
  const auto contribute = [&](int thread, std::uint64_t number, std::int64_t begin,
                              std::int64_t end) {
    log.add(1 * us, 0, app, record::task_submit, {number, 0, 0, 0, 0, 1});
    log.add(1 * us, 0, app, record::task_access, {number, 0, 0, reduce_it, 0, 0});
    log.add(begin, 0, thread, record::task_begin, {number, 0});
    log.add(end, 0, thread, record::task_end, {number, 0});
  };
  contribute(app, 0, 2 * us, 10 * us);
  contribute(worker, 1, 12 * us, 58 * us);
  log.add(11 * us, 0, app, record::wait_begin, {borrowed, 0, 0});
  log.add(60 * us, 0, app, record::wait_end, {borrowed, 0});
  run_task(0, 7, 61 * us, 61 * us, 90 * us);
  const opened run(folder, log);
  const model& of = run.things();
  const std::vector<std::int64_t> later = slack(of);
  EXPECT_EQ(later[of.find_task(0, 1)], 0);
  EXPECT_EQ(later[of.find_task(0, 0)], 48 * us);
}

/// It inserts a task, computes for 898 us, and inserts the last one.
TEST_F(blamed_run, says_between_which_calls_a_program_did_something_by_itself) {
  const deed::place first = deed::place::current();
  const deed::place second = deed::place::current();
  const auto name_of = [](const deed::place& of) {
    return "critical_path_test.cpp:" + std::to_string(of.line());
  };
  const std::uint64_t step = log.rank(0).text("step");
  const std::array<std::uint64_t, 2> lines{log.rank(0).location(first),
                                           log.rank(0).location(second)};
  log.add(1 * us, 0, app, record::phase_push, {step, 3});
  for (const std::uint64_t number : {0u, 1u}) {
    const std::int64_t at = number == 0 ? 2 * us : 900 * us;
    log.add(at, 0, app, record::task_submit, {number, 0, 0, 0, lines[number], 0});
    log.add(at, 0, worker, record::task_begin, {number, 0});
    log.add(at + 8 * us, 0, worker, record::task_end, {number, 0});
    say(at + 8 * us, 0, idle_no_task);
  }
  stay(0, 2, 908 * us, 909 * us);
  log.add(910 * us, 0, app, record::phase_pop, {step, 3});
  const opened run(folder, log);
  EXPECT_THAT(steps_of(run.things()), ElementsAre("submission 0-900 by 0", "compute 900-908"));
  const std::string where = "between " + name_of(first) + " and " + name_of(second) + ", in step 3";
  EXPECT_THAT(text_of(say_critical_path(run.things())),
              ContainsRegex("program +task#1 on rank 0, " + where + "\n"));
  EXPECT_THAT(text_of(breakdown(run.things(), {})),
              ContainsRegex("0  " + where + " +1 +890.0 us\n"));
}

/// The last writer on any rank may be one of another value.
TEST_F(blamed_run, leads_a_path_to_the_task_of_the_rank_that_borrows_what_each_has_one_of) {
  log.rank(0).handle_registered(
      {.handle = 0, .name = "mine", .bytes = 8, .home_rank = deed::trace::every_rank});
  for (const int rank : {0, 1}) {
    const auto number = static_cast<std::uint64_t>(rank);
    log.add(1 * us, rank, app, record::task_submit, {number, 0, number, 0, 0, 1});
    log.add(1 * us, rank, app, record::task_access, {number, 0, 0, write_it, 0, 1});
    log.add(2 * us, rank, worker, record::task_begin, {number, 0});
    log.add((rank == 0 ? 50 : 53) * us, rank, worker, record::task_end, {number, 0});
  }
  log.add(3 * us, 0, app, record::wait_begin, {borrowed, 0, 0});
  log.add(54 * us, 0, app, record::wait_end, {borrowed, 0});
  run_task(0, 5, 60 * us, 61 * us, 90 * us);
  const opened run(folder, log);
  EXPECT_THAT(steps_of(run.things()), Contains("compute 2-50"));
}

/// The program stands in a `wait()` from 10 us to 90 us: it inserted the task long before something
/// that is not recorded made it ready.
TEST_F(blamed_run, takes_no_task_for_late_that_its_program_had_inserted) {
  constexpr std::uint64_t for_all = 2, by_program = 3;
  log.add(5 * us, 0, app, record::task_submit, {0, 0, 0, 0, 0, 0});
  log.add(10 * us, 0, app, record::wait_begin, {for_all, 0, 0});
  log.add(50 * us, 0, worker, record::task_ready, {0, by_program, 0});
  log.add(52 * us, 0, worker, record::task_begin, {0, 0});
  log.add(80 * us, 0, worker, record::task_end, {0, 0});
  log.add(90 * us, 0, app, record::wait_end, {for_all, 0});
  const opened run(folder, log);
  EXPECT_THAT(steps_of(run.things()),
              ElementsAre("submission 0-5 by 0", "wait 5-50", "queueing 50-52", "compute 52-80"));
}

TEST_F(late_receiver, is_on_the_critical_path) {
  run_task(1, 2, 84 * us, 84 * us, 90 * us);
  const opened run(folder, log);
  EXPECT_THAT(steps_of(run.things()),
              ElementsAre("submission 0-80 by 2", "network 80-82", "wait 82-83 by 1",
                          "submission 83-84 by 1", "compute 84-90"));
  EXPECT_THAT(text_of(say_critical_path(run.things())), HasSubstr("by the program of rank 2"));
}

TEST_F(late_receiver, is_not_the_network) {
  const opened run(folder, log);
  EXPECT_THAT(steps_of(run.things()),
              ElementsAre("submission 0-80 by 2", "network 80-82", "compute 82-85"));
}

/// A task that ended while a program stood at a barrier has nothing to do with it.
TEST_F(blamed_run, goes_from_a_barrier_to_the_program_that_came_last) {
  write_barriers();
  run_task(2, 1, 105 * us, 106 * us, 109 * us);
  run_task(1, 2, 111 * us, 112 * us, 115 * us);
  const opened run(folder, log);
  EXPECT_THAT(steps_of(run.things()),
              ElementsAre("submission 0-90 by 0", "wait 90-105 by 2", "submission 105-106 by 2",
                          "wait 106-110 by 1", "submission 110-111 by 1", "queueing 111-112",
                          "compute 112-115"));
}

TEST_F(blamed_run, gives_a_task_that_opens_a_gate_no_more_slack_than_what_waits_for_it) {
  write_gate();
  run_task(2, 2, 1 * us, 2 * us, 75 * us);
  const opened run(folder, log);
  const std::vector<std::int64_t> later = slack(run.things());
  const model& of = run.things();
  EXPECT_EQ(later[of.find_task(1, 0)], 5 * us);
  EXPECT_EQ(later[of.find_task(0, 1)], 5 * us);
}

/// The program waits for two tasks before it inserts the one that ends the run.
TEST_F(blamed_run, gives_no_slack_to_what_the_program_waits_for) {
  constexpr std::uint64_t all = 2;
  run_task(0, 0, 1 * us, 2 * us, 40 * us);
  run_task(0, 1, 1 * us, 41 * us, 60 * us);
  stay(0, all, 3 * us, 61 * us);
  run_task(0, 2, 62 * us, 63 * us, 90 * us);
  run_task(1, 3, 1 * us, 2 * us, 30 * us);
  const opened run(folder, log);
  EXPECT_THAT(slack(run.things()), ElementsAre(1 * us, 0, 60 * us, 0));
}

/// Ranks 1 and 2 wait for their tasks and come to a barrier, behind which rank 0 inserts the last
/// task.
TEST_F(blamed_run, gives_slack_as_far_as_the_others_come_to_a_barrier) {
  constexpr std::uint64_t all = 2;
  const auto work_and_come = [&](int rank, std::uint64_t number, std::int64_t end) {
    run_task(rank, number, 1 * us, 2 * us, end);
    stay(rank, all, 2 * us, end + 1 * us);
    stay(rank, barrier, end + 2 * us, 72 * us);
  };
  work_and_come(1, 0, 50 * us);
  work_and_come(2, 1, 60 * us);
  stay(0, barrier, 5 * us, 70 * us);
  run_task(0, 2, 72 * us, 73 * us, 90 * us);
  const opened run(folder, log);
  EXPECT_THAT(slack(run.things()), ElementsAre(11 * us, 0, 0));
}

TEST_F(blamed_run, has_the_task_that_opened_a_gate_on_the_critical_path) {
  write_gate();
  const opened run(folder, log);
  EXPECT_THAT(steps_of(run.things()),
              ElementsAre("submission 0-1 by 1", "queueing 1-2", "compute 2-50", "network 50-60",
                          "compute 60-70"));
}

/// What rank 1 calls v3 of the weights is v7 of another datum for the task of rank 0; rank 0 has a
/// task of its own that wrote a v3 of the weights.
TEST_F(blamed_run, follows_a_message_to_what_its_sender_wrote) {
  register_two(log);
  const auto write_one = [&](int rank, std::uint64_t number, std::int64_t begin, std::int64_t end) {
    log.add(2 * us, rank, app, record::task_submit,
            {number, 0, static_cast<std::uint64_t>(rank), 0, 0, 1});
    log.add(2 * us, rank, app, record::task_access, {number, 0, 0, write_it, 2, 3});
    log.add(2 * us, rank, app, record::task_ready, {number, 0, 0});
    log.add(begin, rank, worker, record::task_begin, {number, 0});
    log.add(end, rank, worker, record::task_end, {number, 0});
  };
  write_one(1, 0, 3 * us, 50 * us);
  write_one(0, 0, 3 * us, 4 * us);
  log.add(5 * us, 0, app, record::xfer_post, {receive, 1, 7, 1, 0, 24, 9, 4, nobody});
  log.add(6 * us, 1, app, record::xfer_post, {send, 0, 3, 0, 0, 24, 9, 4, nobody});
  log.add(51 * us, 1, worker, record::xfer_start, {0, 3, 0, 0, send, 9});
  log.add(53 * us, 1, worker, record::xfer_done, {0, 3, 0, 0, send, 9});
  log.add(60 * us, 0, worker, record::xfer_done, {1, 7, 1, 0, receive, 9});
  log.add(6 * us, 0, app, record::task_submit, {1, 0, 0, 0, 0, 1});
  log.add(6 * us, 0, app, record::task_access, {1, 0, 1, read_it, 7, 7});
  log.add(60 * us, 0, worker, record::task_ready, {1, 2, (std::uint64_t{1} << 32) | 7});
  log.add(60 * us, 0, worker, record::task_begin, {1, 0});
  log.add(70 * us, 0, worker, record::task_end, {1, 0});
  const opened run(folder, log);
  EXPECT_THAT(steps_of(run.things()),
              ElementsAre("submission 0-2 by 1", "queueing 2-3", "compute 3-50", "network 50-60",
                          "compute 60-70"));
  const model& of = run.things();
  int ends = 0;
  for (std::size_t i = 0; i < of.events().events().size(); ++i)
    if (const event e = of.events().events()[i]; e.what == record::xfer_done)
      ends += transfer_of(of, e) == 0 ? 1 : 0;
  EXPECT_EQ(ends, 2);
}

/// A task of rank 1 writes v1 over what rank 1 sends to rank 0 until 60 us.
TEST_F(blamed_run, lets_a_writer_wait_for_what_is_sent_of_the_version_before) {
  register_two(log);
  run_task(1, 0, 1 * us, 2 * us, 50 * us);
  log.add(3 * us, 1, app, record::xfer_post, {send, 0, 0, 0, 0, 24, 0, 0, nobody});
  log.add(3 * us, 0, app, record::xfer_post, {receive, 0, 0, 1, 0, 24, 0, 0, nobody});
  log.add(50 * us, 1, worker, record::xfer_start, {0, 0, 0, 0, send, 0});
  log.add(59 * us, 0, worker, record::xfer_done, {0, 0, 1, 0, receive, 0});
  log.add(60 * us, 1, worker, record::xfer_done, {0, 0, 0, 0, send, 0});
  log.add(4 * us, 1, app, record::task_submit, {1, 0, 1, 0, 0, 1});
  log.add(4 * us, 1, app, record::task_access, {1, 0, 0, write_it, 0, 1});
  log.add(60 * us, 1, worker, record::task_ready, {1, 2, 0});
  log.add(62 * us, 1, worker, record::task_begin, {1, 0});
  log.add(70 * us, 1, worker, record::task_end, {1, 0});
  const opened run(folder, log);
  EXPECT_THAT(steps_of(run.things()), ElementsAre("submission 0-3 by 1", "network 3-60",
                                                  "queueing 60-62", "compute 62-70"));
  const model& of = run.things();
  EXPECT_THAT(text_of(describe_task(of, of.find_task(1, 1))),
              HasSubstr("when weights v0, over which it writes, had been sent to rank 0"));
}

/// Rank 1 sends one version to rank 2 until 50 us and to rank 0 until 60 us, twice there.
TEST_F(blamed_run, the_last_send_before_it_is_what_a_writer_waited_for) {
  register_two(log);
  const auto send_one = [&](std::uint64_t dst, std::uint64_t seq, std::int64_t done) {
    log.add(3 * us, 1, app, record::xfer_post, {send, 0, 0, dst, seq, 24, 0, 0, nobody});
    log.add(5 * us, 1, worker, record::xfer_start, {0, 0, dst, seq, send, 0});
    log.add(done, 1, worker, record::xfer_done, {0, 0, dst, seq, send, 0});
  };
  send_one(2, 0, 50 * us);
  send_one(0, 0, 60 * us);
  send_one(0, 1, 60 * us);
  log.add(70 * us, 1, app, record::xfer_post, {receive, 1, 0, 2, 0, 24, 1, 0, nobody});
  std::uint64_t number = 0;
  const auto becomes_ready = [&](std::int64_t when, std::uint64_t cause, std::uint64_t by) {
    log.add(4 * us, 1, app, record::task_submit, {number, 0, 1, 0, 0, 0});
    log.add(when, 1, worker, record::task_ready, {number++, cause, by});
  };
  constexpr std::uint64_t by_task = 1, by_transfer = 2, of_other = std::uint64_t{1} << 32;
  for (const std::int64_t when : {49, 50, 59, 60, 99}) becomes_ready(when * us, by_transfer, 0);
  becomes_ready(99 * us, by_transfer, 1);         // A version that nobody sends.
  becomes_ready(99 * us, by_transfer, of_other);  // One that comes.
  becomes_ready(99 * us, by_task, 0);
  const opened run(folder, log);
  const model& of = run.things();
  std::vector<std::string> awaited;
  for (std::uint64_t task = 0; task < number; ++task) {
    const std::uint32_t send = awaited_send(of, of.tasks()[of.find_task(1, task)]);
    awaited.push_back(send == none ? "none"
                                   : std::to_string(of.transfers()[send].dst) + "/" +
                                         std::to_string(of.transfers()[send].seq));
  }
  EXPECT_THAT(awaited, ElementsAre("none", "2/0", "2/0", "0/0", "0/0", "none", "none", "none"));
}

/// A chain of tasks, one after the other on one thread.
class long_chain : public blamed_run {
 protected:
  void write_chain(std::uint64_t tasks) {
    for (const int rank : {0, 1, 2}) log.rank(rank).codelet("step", deed::place::current());
    for (std::uint64_t i = 0; i < tasks; ++i) {
      const auto at = static_cast<std::int64_t>(i) * 4 * us;
      log.add(1, 0, app, record::task_submit, {i, 0, 0, 0, 0, 1});
      constexpr std::uint64_t read_write = 2;
      log.add(1, 0, app, record::task_access, {i, 0, 0, read_write, i, i + 1});
      log.add(at + 1 * us, 0, worker, record::task_begin, {i, 0});
      log.add(at + 4 * us, 0, worker, record::task_end, {i, 0});
    }
  }
  [[nodiscard]] static const table& steps_in(const answer& said) {
    return *std::ranges::find(said.tables, "steps", &table::title);
  }
};

TEST_F(long_chain, is_one_line_of_the_critical_path) {
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24});
  write_chain(100);
  const opened run(folder, log);
  const answer said = say_critical_path(run.things());
  EXPECT_THAT(said.sentences, testing::Contains(HasSubstr("has 201 steps")));
  const table& steps = steps_in(said);
  ASSERT_EQ(steps.rows.size(), 2u) << "the program has inserted the first task";
  EXPECT_THAT(steps.columns, ElementsAre("from", "to", "time", "share", "kind", "what"));
  EXPECT_EQ(steps.rows[1][2], "400.0 us");
  EXPECT_EQ(steps.rows[1][3], "100.0 %");
  EXPECT_EQ(steps.rows[1][4], "compute 300.0 us, queueing 100.0 us");
  EXPECT_EQ(steps.rows[1][5], "100 times step, from step#0 to step#99, on rank 0 w00");
  EXPECT_EQ(steps.links, std::vector<std::string>({"task:0", "task:0"}));
  EXPECT_EQ(steps_in(say_critical_path(run.things(), {}, true)).rows.size(), 201u);
}

TEST_F(long_chain, of_codelets_that_take_turns_is_one_line) {
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24});
  log.rank(0).codelet("step", deed::place::current());
  log.rank(0).codelet("scale", deed::place::current());
  for (std::uint64_t i = 0; i < 101; ++i) {
    const auto at = static_cast<std::int64_t>(i) * 4 * us;
    constexpr std::uint64_t read_write = 2;
    log.add(1, 0, app, record::task_submit, {i, i % 2, 0, 0, 0, 1});
    log.add(1, 0, app, record::task_access, {i, 0, 0, read_write, i, i + 1});
    log.add(at + 1 * us, 0, worker, record::task_begin, {i, i % 2});
    log.add(at + 4 * us, 0, worker, record::task_end, {i, 0});
  }
  const opened run(folder, log);
  const answer said = say_critical_path(run.things());
  const table& steps = steps_in(said);
  ASSERT_EQ(steps.rows.size(), 4u) << "the program, those that repeat, and both steps of the last";
  EXPECT_EQ(steps.rows[1][5], "50 times step, scale, from step#0 to scale#99, on rank 0 w00");
  EXPECT_EQ(steps.rows[1][4], "compute 300.0 us, queueing 100.0 us");
  EXPECT_EQ(steps_in(say_critical_path(run.things(), {}, true)).rows.size(), 203u);
}

TEST_F(long_chain, of_a_few_tasks_is_told_step_by_step) {
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24});
  write_chain(3);
  const opened run(folder, log);
  EXPECT_EQ(steps_in(say_critical_path(run.things())).rows.size(), 7u);
}

}  // namespace
