// SPDX-License-Identifier: MIT
// What answers say of data that go from one rank to another, in runs that were written by hand.
#include "analysis/ask/ask.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/ask/sizes.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/export/export.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/query/moments.hpp"
#include "analysis/say/units.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::map<std::string, std::int64_t> kinds_of(const model& m) {
  std::map<std::string, std::int64_t> kinds;
  for (const path_step& each : critical_path(m))
    kinds[std::string(each.kind)] += each.end - each.begin;
  return kinds;
}

TEST(critical_path, does_not_blame_the_network_for_a_copy_that_was_still_in_use) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  write_transfer(log, 0, 0, 1, {1'000, 2'000, 1'500, 10'000});
  write_task(log, 1, 0, 10'000, 100'000);
  write_transfer(log, 0, 1, 2, {1'000, 2'000, 100'000, 108'000});
  write_task(log, 2, 0, 108'000, 120'000);
  const opened run(folder, log);
  const auto kinds = kinds_of(run.things());
  EXPECT_EQ(kinds.at("compute"), 12'000 + 90'000);
  EXPECT_EQ(kinds.at("network"), 8'000 + 9'000) << "the last of it since it was asked for";
  EXPECT_EQ(comm_matrix(run.things()).tables[0].rows[0][5], "8.0 us") << "the mean of both";
  EXPECT_THAT(text_of(redundant(run.things(), loss_by::cause)),
              HasSubstr("8.0 us of it on the critical path"));
  EXPECT_THAT(text_of(why_twice(run.things(), {})),
              HasSubstr("It is on the critical path, for 8.0 us."));
}

TEST(critical_path, has_one_of_those_that_were_sent_again) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  write_transfer(log, 0, 0, 1, {1'000, 2'000, 1'500, 10'000});
  write_task(log, 1, 0, 10'000, 100'000);
  write_transfer(log, 0, 1, 2, {1'000, 2'000, 1'500, 20'000});
  write_transfer(log, 0, 2, 2, {1'000, 2'000, 100'000, 108'000});
  write_task(log, 2, 0, 108'000, 120'000);
  const opened run(folder, log);
  EXPECT_THAT(text_of(why_twice(run.things(), {})),
              HasSubstr("1 of them is on the critical path, for "));
}

/// A transfer that left with another one and was found when a long task had ended.
void write_late_look(event_log& log) {
  register_two(log);
  write_transfer(log, 1, 0, 1, {1'000, 2'000, -1, 10'000});  // So long they take.
  write_task(log, 1, 1, 10'000, 100'000);
  write_transfer(log, 0, 0, 2, {1'000, 2'000, -1, 100'500});
  write_task(log, 2, 0, 101'000, 120'000);
}

TEST(critical_path, does_not_blame_the_network_for_what_the_only_thread_did_not_look_at) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  write_late_look(log);
  const opened run(folder, log);
  const auto kinds = kinds_of(run.things());
  EXPECT_EQ(kinds.at("compute"), 19'000 + 90'000);
  EXPECT_EQ(kinds.at("network"), 500 + 9'000);
}

TEST(critical_path, blames_the_network_where_a_thread_stood_by) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);  // A worker may have listened.
  write_late_look(log);
  const opened run(folder, log);
  EXPECT_EQ(kinds_of(run.things()).at("network"), 99'500);
}

/// On virtual ranks a task without a price takes no time.
TEST(critical_path, goes_through_tasks_that_take_no_time) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  write_transfer(log, 0, 0, 1, {1'000, 2'000, 1'500, 10'000});
  write_task(log, 1, 0, 10'000, 10'000);
  write_transfer(log, 1, 0, 2, {1'000, 2'000, 10'000, 10'000});
  write_task(log, 2, 1, 10'000, 10'000);
  const opened run(folder, log);
  EXPECT_EQ(kinds_of(run.things()).at("network"), 9'000);
}

TEST(critical_path, of_a_range_is_no_longer_than_it) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  write_transfer(log, 0, 0, 1, {1'000, 2'000, 1'500, 10'000});
  write_task(log, 1, 0, 10'000, 100'000);
  const opened run(folder, log);
  EXPECT_THAT(text_of(say_critical_path(run.things(), time_range{20'000, 30'000})),
              HasSubstr("1 step and takes 10.0 us"));
}

/// The sender is ready long before its receiver: no answer says that the version had left then.
TEST(transfer, leaves_when_both_are_ready_in_every_answer) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  write_transfer(log, 0, 0, 1, {1'000, 2'000, 90'000, 99'000});
  const opened run(folder, log);
  const model& m = run.things();
  const auto told = [](const answer& said) { return text_of(said); };
  EXPECT_THAT(told(why_twice(m, 0)), ContainsRegex("v0 +1 +0 +90\\.0 us +99\\.0 us"));
  EXPECT_THAT(told(history(m, 0)),
              ContainsRegex("90\\.0 us +runs +weights v0 leaves rank 1 for rank 0"));
  EXPECT_THAT(told(history(m, 0)), HasSubstr("rank 1 is ready to send weights v0 to rank 0"));
  EXPECT_THAT(told(describe_transfer(m, 0)), ContainsRegex("left +90\\.0 us"));
  EXPECT_THAT(state_at(m, 0, 50'000).in_flight, testing::IsEmpty());
  EXPECT_THAT(state_at(m, 0, 95'000).in_flight, testing::ElementsAre(0));
  EXPECT_THAT(moments_when(m, "handle:weights pending:0"), testing::SizeIs(1));
  std::ostringstream table;
  export_transfers(m, table, {});
  EXPECT_THAT(table.str(), HasSubstr(",90000\n"));
}

/// Data that nobody asked for stay where they are.
TEST(transfer, that_nobody_took_has_not_left_in_the_history) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  log.add(1'000, 1, app, record::xfer_post, {send, 0, 0, 0, 0, 24, 0, 0, nobody});
  log.add(2'000, 1, net, record::xfer_start, {0, 0, 0, 0, send, 0});
  const opened run(folder, log);
  EXPECT_THAT(text_of(history(run.things(), 0)), Not(HasSubstr("leaves")));
}

/// The program flushes in each step, long before its tasks come to it.
TEST(why_twice, says_once_what_happened_many_times_and_when_it_arrived) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  std::int64_t now = 10'000;
  for (std::uint64_t step = 0; step < 4; ++step) {
    write_transfer(log, 0, step, step,
                   {500 + 2 * static_cast<std::int64_t>(step), now, now, now + 8'000});
    log.add(501 + 2 * static_cast<std::int64_t>(step), 0, app, record::cache_drop, {0, 0, 1, 1, 0});
    now += 100'000;
  }
  const opened run(folder, log);
  const answer said = why_twice(run.things(), {});
  ASSERT_EQ(said.sentences.size(), 1u) << text_of(said);
  EXPECT_THAT(said.sentences[0], HasSubstr("it arrived at 18.0 us"));
  EXPECT_THAT(said.sentences[0],
              HasSubstr("The program of rank 0 dropped v0 at 501 ns, ahead of its tasks"));
  EXPECT_THAT(said.sentences[0], HasSubstr("The same 2 times more"));
  EXPECT_THAT(said.sentences[0], HasSubstr("arrived at 318.0 us"));
  for (const table& each : said.tables)
    if (each.title == "each of them") {
      EXPECT_EQ(each.rows.size(), 3u);
      EXPECT_EQ(each.links.size(), 3u);
    }
}

/// A program that only sends messages.
TEST(critical_path, of_a_run_without_tasks_says_what_programs_did) {
  constexpr std::uint64_t barrier = 3, of_all = 1, message = 4;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  log.add(5'000, 1, app, record::xfer_post, {send, 0, 0, 0, 1, 24, 7, message, nobody});
  log.add(6'000, 1, net, record::xfer_start, {0, 0, 0, 1, send, 7});
  log.add(7'000, 1, net, record::xfer_done, {0, 0, 0, 1, send, 7});
  log.add(20'000, 0, app, record::wait_begin, {barrier, of_all, 0});
  log.add(80'000, 0, app, record::wait_end, {barrier, of_all});
  log.add(100'000, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  const answer said = say_critical_path(run.things());
  EXPECT_THAT(text_of(said), HasSubstr("no task has run, and 1 message was sent"));
  EXPECT_THAT(text_of(said), Not(HasSubstr("longest chain")));
  ASSERT_EQ(said.tables.size(), 1u);
  EXPECT_EQ(said.tables[0].rows[0], (std::vector<cell>{"0", "barrier", say_time(60'000)}));
  EXPECT_EQ(said.tables[0].rows[1][1], "program");
}

TEST(critical_path, of_a_part_without_tasks_counts_its_messages) {
  constexpr std::uint64_t message = 4;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 3, 0, 1);
  register_two(log);
  log.add(1'000, 2, app, record::task_begin, {7, 0});
  log.add(5'000, 1, app, record::xfer_post, {send, 0, 0, 0, 1, 24, 7, message, nobody});
  log.add(6'000, 1, net, record::xfer_start, {0, 0, 0, 1, send, 7});
  log.add(7'000, 1, net, record::xfer_done, {0, 0, 0, 1, send, 7});
  // Nobody takes this one.
  log.add(5'500, 1, app, record::xfer_post, {send, 0, 0, 0, 2, 24, 7, message, nobody});
  log.add(6'500, 1, net, record::xfer_start, {0, 0, 0, 2, send, 7});
  log.add(100'000, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  const auto of = [&](int rank) {
    return text_of(say_critical_path(run.things(), {run.things(), {}, {rank}, ""}));
  };
  EXPECT_THAT(of(0), HasSubstr("no task has run in this part, and 1 message was sent"));
  EXPECT_THAT(of(2), HasSubstr("it leads to task#7 on rank 2, which did not end"));
}

/// The task of rank 1 throws at 60 us, and has no end; rank 0 goes on until 100 us. That of rank 0
/// lost its end, as another followed.
TEST(critical_path, leads_to_the_task_that_failed) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  const auto begins = [&](std::int64_t at, int rank, std::uint64_t number) {
    log.add(500, rank, app, record::task_submit,
            {number, 0, static_cast<std::uint64_t>(rank), 0, 0, 0});
    log.add(500, rank, app, record::task_ready, {number, 0, 0});
    log.add(at, rank, worker, record::task_begin, {number, 0});
  };
  begins(1'000, 0, 0);
  begins(10'000, 0, 1);
  log.add(30'000, 0, worker, record::task_end, {1, 0});
  begins(2'000, 1, 2);
  log.add(60'000, 1, worker, record::error, {807, none, 0, 2, 0, 0, none, none});
  log.add(100'000, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  const auto path = critical_path(run.things());
  ASSERT_FALSE(path.empty());
  EXPECT_EQ(path.back().task, run.things().find_task(1, 2));
  EXPECT_EQ(path.back().kind, "compute");
  EXPECT_EQ(path.back().begin, 2'000);
  EXPECT_EQ(path.back().end, 60'000);
  EXPECT_THAT(text_of(say_critical_path(run.things())), HasSubstr("on rank 1, which did not end"));
}

/// A device tells of kernels that ended alone: of the task that failed there, its error.
TEST(critical_path, leads_to_a_task_that_failed_on_a_device) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24});
  constexpr std::uint64_t by_task = 1;
  for (const std::uint64_t number : {1u, 2u}) {
    log.add(500, 0, app, record::task_submit, {number, 0, 0, 0, 0, 1});
    log.add(500, 0, app, record::task_access, {number, 0, 0, write_it, number - 1, number});
  }
  log.add(1'000, 0, worker, record::task_begin, {1, 0});
  log.add(30'000, 0, worker, record::task_end, {1, 0});
  log.add(31'000, 0, worker, record::task_ready, {2, by_task, 1});
  log.add(60'000, 0, worker, record::error, {807, 0, none, 2, 0, 0, none, none});
  log.add(61'000, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  const auto path = critical_path(run.things());
  ASSERT_GE(path.size(), 2u);
  EXPECT_EQ(path.back().task, run.things().find_task(0, 2));
  EXPECT_EQ(path.back().kind, "queueing");
  EXPECT_EQ(path.back().begin, 30'000);
  EXPECT_EQ(path.back().end, 60'000);
  EXPECT_EQ(path[path.size() - 2].task, run.things().find_task(0, 1));
  EXPECT_EQ(path[path.size() - 2].kind, "compute");
  EXPECT_THAT(text_of(say_critical_path(run.things())),
              HasSubstr("it leads to task#2 on rank 0, which did not end"));
}

/// Between two meetings at the end of its session, a program does nothing.
TEST(critical_path, knows_that_a_program_has_returned_at_the_end_of_its_session) {
  constexpr std::uint64_t barrier = 3, end_of_session = 3;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_task(log, 0, 0, 1'000, 20'000);
  log.add(21'000, 0, worker, record::state, {2, 0, 0});
  for (const std::int64_t at : {30'000, 90'000}) {
    log.add(at, 0, app, record::wait_begin, {barrier, end_of_session, 0});
    log.add(at + 10'000, 0, app, record::wait_end, {barrier, end_of_session});
  }
  log.add(100'000, 0, worker, record::state, {2, 0, 0});
  const opened run(folder, log);
  const answer said = say_critical_path(run.things());
  const auto rest =
      std::ranges::find(said.tables, "what programs did after the last task", &table::title);
  ASSERT_NE(rest, said.tables.end());
  EXPECT_EQ(rest->rows[1], (std::vector<cell>{"0", "the end of the session", say_time(70'000)}));
  EXPECT_THAT(
      text_of(breakdown(run.things(), {})),
      HasSubstr("idle, no task: 9.0 us of it while the program of the rank was in no wait"));
}

TEST(critical_path, says_what_comes_after_the_last_task) {
  constexpr std::uint64_t barrier = 3, end_of_session = 3;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_task(log, 0, 0, 1'000, 20'000);
  log.add(30'000, 0, app, record::wait_begin, {barrier, end_of_session, 0});
  log.add(100'000, 0, app, record::wait_end, {barrier, end_of_session});
  const opened run(folder, log);
  const answer said = say_critical_path(run.things());
  EXPECT_THAT(text_of(said),
              HasSubstr("ended after task#0 on rank 0, at 20.0 us: the other 80.0 us are"));
  const auto rest =
      std::ranges::find(said.tables, "what programs did after the last task", &table::title);
  ASSERT_NE(rest, said.tables.end());
  EXPECT_EQ(rest->rows[1], (std::vector<cell>{"0", "the end of the session", say_time(70'000)}));
  EXPECT_EQ(std::prev(said.tables.end(), 2)->title, "steps");
  EXPECT_THAT(text_of(say_critical_path(run.things(), time_range{0, 20'000})),
              Not(HasSubstr("ended after")));
}

/// Both asked for it long before it left.
TEST(redundant, is_no_longer_on_the_critical_path_than_it_took) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  write_transfer(log, 0, 0, 1, {1'000, 2'000, 1'500, 3'000});
  write_task(log, 1, 0, 3'000, 3'500);
  log.add(5'000, 0, app, record::xfer_post, {receive, 0, 0, 1, 1, 24, 0, 0, 2});
  log.add(5'000, 1, app, record::xfer_post, {send, 0, 0, 0, 1, 24, 0, 0, 2});
  log.add(50'000, 1, net, record::xfer_start, {0, 0, 0, 1, send, 0});
  log.add(45'000, 0, app, record::xfer_start, {0, 0, 1, 1, receive, 0});
  log.add(58'000, 0, app, record::xfer_done, {0, 0, 1, 1, receive, 0});
  write_task(log, 2, 0, 58'000, 60'000);
  const opened run(folder, log);
  EXPECT_GT(kinds_of(run.things()).at("network"), 50'000);
  EXPECT_THAT(text_of(redundant(run.things(), loss_by::cause)),
              HasSubstr("8.0 us of it on the critical path"));
}

/// Only the second of two is in it.
TEST(redundant, of_a_slice_says_what_it_cannot_know) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  write_transfer(log, 0, 0, 1, {1'000, 2'000, 1'500, 3'000});
  write_transfer(log, 0, 1, 2, {5'000, 50'000, 45'000, 58'000});
  const opened all(folder, log);
  const std::string unknown = "what had been sent before 4.0 us is not in this recording";
  EXPECT_THAT(text_of(redundant(all.things(), loss_by::cause)), Not(HasSubstr("not in this")));
  const std::string part = folder.path() + "/part.deed";
  slice(all.events(), part, {time_range{4'000, 60'000}, {}});
  const run events(part);
  const model things(events);
  EXPECT_THAT(text_of(redundant(things, loss_by::cause)), HasSubstr(unknown));
  EXPECT_THAT(text_of(why_twice(things, {})), HasSubstr(unknown));
}

/// While copies are not kept, each goes behind the task that it came for.
TEST(why_twice, names_the_line_that_switched_copies_off) {
  constexpr std::uint64_t cache_off = 5;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  const std::uint64_t line = log.rank(0).location(deed::place::current());
  write_transfer(log, 0, 0, 1, {500, 2'000, 1'500, 10'000});
  log.add(501, 0, app, record::cache_drop, {0, 0, 1, cache_off, line});
  write_transfer(log, 0, 1, 2, {502, 12'000, 11'500, 20'000});
  const opened run(folder, log);
  const std::vector<repeat> found = repeats(run.things(), {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cause, "cache_off");
  EXPECT_THAT(found[0].sentence, HasSubstr("`set_cache(false)` at"));
  EXPECT_THAT(text_of(cache(run.things())), HasSubstr("cache off"));
}

/// A sender starts what it was asked for last before the rest; the receiver takes it last.
TEST(why_twice, goes_by_the_order_in_which_versions_moved) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  write_transfer(log, 0, 0, 1, {500, 3'000, 1'500, 10'000});
  log.add(501, 0, app, record::cache_drop, {0, 0, 1, 1, 0});
  write_transfer(log, 0, 1, 2, {502, 2'000, 100'000, 108'000});
  const opened run(folder, log);
  const answer said = why_twice(run.things(), {});
  ASSERT_EQ(said.sentences.size(), 1u) << text_of(said);
  EXPECT_THAT(said.sentences[0], HasSubstr("at 3.0 us for"));
  EXPECT_THAT(said.sentences[0], HasSubstr("it arrived at 10.0 us"));
  EXPECT_THAT(said.sentences[0], HasSubstr("sent at 100.0 us and arrived at 108.0 us"));
}

TEST(why_twice, says_that_a_time_is_missing) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  for (std::uint64_t seq : {0u, 1u})  // The other rank's records, and the requests, are lost.
    log.add(5'000, 1, net, record::xfer_done, {0, 0, 0, seq, send, 0});
  const opened run(folder, log);
  EXPECT_THAT(text_of(why_twice(run.things(), 0)), Not(HasSubstr("-1 ns")));
}

/// Rank 1 sent one version twice to rank 0, which asked for both before either came; rank 0 says
/// when it took them, and not which copies it dropped.
void write_two_copies(event_log& log) {
  register_two(log);
  write_transfer(log, 0, 0, 1, {500, 2'000, 3'000, 10'000});
  log.add(501, 0, app, record::cache_drop, {0, 0, 1, 1, 0});
  write_transfer(log, 0, 1, 2, {502, 20'000, 21'000, 30'000});
}

TEST(why_twice, invents_no_cause_where_drops_were_not_recorded) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  write_transfer(log, 0, 0, 1, {500, 2'000, 3'000, 10'000});
  write_transfer(log, 0, 1, 2, {502, 20'000, 21'000, 30'000});
  log.close();
  const std::string path = folder.path() + "/run.deed", why = "DEED_TRACE_EVENTS left out cache";
  leave_out(path, "cache");
  const run events(path);
  const model things(events);
  const std::vector<repeat> found = repeats(things, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cause, "unknown");
  EXPECT_THAT(found[0].sentence, HasSubstr("why is not known: " + why));
  EXPECT_THAT(found[0].sentence, Not(HasSubstr("before it had arrived")));
  const std::string lost = text_of(redundant(things, loss_by::cause));
  EXPECT_THAT(lost, HasSubstr("the cause of 1 transfer is not known: " + why));
  EXPECT_THAT(lost, Not(HasSubstr("race")));
}

TEST(why_twice, invents_neither_a_cause_nor_an_arrival_where_the_receiver_is_not_recorded) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  write_two_copies(log);
  for (const std::uint64_t seq : {0u, 1u})
    log.add(40'000 + static_cast<std::int64_t>(seq), 1, net, record::xfer_done,
            {0, 0, 0, seq, send, 0, 24});
  const opened all(folder, log);
  const std::string part = folder.path() + "/part.deed";
  slice(all.events(), part, {{}, {1}});
  const run events(part);
  const model things(events);
  ASSERT_EQ(repeats(all.things(), {}).at(0).cause, "flush_call");
  const std::vector<repeat> found = repeats(things, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cause, "unknown");
  EXPECT_THAT(found[0].sentence, HasSubstr("why is not known: rank 0 is not recorded"));
  const answer said = why_twice(things, 0);
  EXPECT_THAT(text_of(said), Not(HasSubstr("40.0 us"))) << "its sender was told then";
  EXPECT_THAT(text_of(said), Not(HasSubstr("arrived at")));
  EXPECT_THAT(text_of(redundant(things, loss_by::cause)),
              HasSubstr("the cause of 1 transfer is not known: rank 0 is not recorded"));
}

/// The program asked for each of them.
TEST(why_twice, says_that_messages_sent_a_version_more_than_once) {
  constexpr std::uint64_t user = 4;
  static_assert(is_message(user));
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  for (const std::uint64_t seq : {0u, 1u})
    log.add(1'000 + static_cast<std::int64_t>(seq), 1, app, record::xfer_post,
            {send, 0, 0, 0, seq, 24, 0, user, 0});
  const opened run(folder, log);
  const std::string said =
      "no copy was sent twice to one rank; 1 version was sent more than once "
      "by explicit messages of the program";
  for (const answer& each : {why_twice(run.things(), 0), why_twice(run.things(), {}),
                             redundant(run.things(), loss_by::cause)}) {
    EXPECT_THAT(text_of(each), HasSubstr(said));
    EXPECT_THAT(text_of(each), Not(HasSubstr("no version was sent twice")));
  }
}

TEST(why_twice, has_a_sentence_for_some_messages_and_says_how_many_there_are) {
  constexpr std::uint64_t user = 4;
  constexpr int peers = 40;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", peers + 1, 0, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 0});
  for (int peer = 1; peer <= peers; ++peer)
    for (const std::uint64_t seq : {0u, 1u}) {
      const std::int64_t at = 1'000 * peer + 100 * static_cast<std::int64_t>(seq);
      const auto to = static_cast<std::uint64_t>(peer);
      log.add(at, 0, app, record::xfer_post, {send, 0, 0, to, seq, 24, 7, user, none});
      log.add(at + 10, 0, net, record::xfer_start, {0, 0, to, seq, send, 7});
      log.add(at + 10, peer, app, record::xfer_post, {receive, 0, 0, 0, seq, 24, 7, user, none});
      log.add(at + 20, peer, net, record::xfer_start, {0, 0, 0, seq, receive, 7});
      log.add(at + 30, peer, net, record::xfer_done, {0, 0, 0, seq, receive, 7});
    }
  const opened run(folder, log);
  const std::string of_all = text_of(why_twice(run.things(), {}));
  EXPECT_THAT(of_all, HasSubstr("and 32 more, between other ranks, of other lines or data"));
  const std::string of_one = text_of(why_twice(run.things(), 0));
  EXPECT_THAT(of_one, HasSubstr("and 8 more, between other ranks, of other lines or data"));
}

/// Which line asked for the second one, and what came between.
TEST(why_twice, names_the_lines_of_messages_and_who_wrote_between_them) {
  constexpr std::uint64_t user = 4, write = 1;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  register_two(log);
  const auto codelet = log.rank(1).codelet("fill", deed::place::current());
  const auto here = [&](int rank) { return log.rank(rank).location(deed::place::current()); };
  const auto call = [&](int rank) { return deed::trace::message_call{here(rank)}.word(); };
  std::uint64_t seq = 0;
  const auto message = [&](std::int64_t at, std::uint64_t version) {
    log.add(at, 1, app, record::xfer_post, {send, 0, version, 0, seq, 24, 7, user, call(1)});
    log.add(at + 10, 0, app, record::xfer_post, {receive, 1, seq, 1, seq, 24, 7, user, call(0)});
    log.add(at + 20, 1, net, record::xfer_start, {0, version, 0, seq, send, 7});
    log.add(at + 30, 0, net, record::xfer_start, {1, seq, 1, seq, receive, 7});
    log.add(at + 40, 0, net, record::xfer_done, {1, seq, 1, seq, receive, 7});
    ++seq;
  };
  message(1'000, 0);
  message(2'000, 0);
  message(3'000, 0);
  const auto insertion = here(1);
  log.add(3'500, 1, app, record::task_submit, {5, codelet, 1, 0, insertion, 1});
  log.add(3'500, 1, app, record::task_access, {5, 0, 0, write, 0, 1});
  log.add(3'600, 1, worker, record::task_begin, {5, codelet});
  log.add(3'700, 1, worker, record::task_end, {5, 0});
  message(4'000, 1);
  const opened run(folder, log);
  const std::string line = R"(transfers_test\.cpp:[0-9]+)";
  const std::string said = text_of(why_twice(run.things(), 0));
  const std::string again =
      "the program sent weights v0 from rank 1 to rank 0 at 1\\.0[0-9]* us, and it "
      "again at 2\\.0[0-9]* us by a message, tag 7, sent at " +
      line + ", received at " + line +
      ": nobody wrote it in between\\. The same 1 time more, the last at 3";
  EXPECT_THAT(said, ContainsRegex(again));
  EXPECT_THAT(said, ContainsRegex("and v1 at 4\\.0[0-9]* us by a message, tag 7, sent at " + line +
                                  ", received at " + line +
                                  ": fill#5 on rank 1 wrote it in between, at " + line));
  EXPECT_THAT(text_of(why_twice(run.things(), {})), ContainsRegex(again));
}

/// Until a receiver looks for it, and its sender began it, nobody knows that it left.
TEST(transfer, left_when_both_ranks_had_to_do_with_it) {
  constexpr std::uint64_t of_posts = 0, of_a_start = 1;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  for (const std::uint64_t handle : {of_posts, of_a_start}) {
    log.add(1'000, 0, app, record::xfer_post, {receive, handle, 0, 1, 0, 24, handle, 0, 1});
    log.add(1'500, 1, app, record::xfer_post, {send, handle, 0, 0, 0, 24, handle, 0, 1});
  }
  log.add(2'000, 1, net, record::xfer_start, {of_a_start, 0, 0, 0, send, of_a_start});
  log.add(9'000, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  const model& of = run.things();
  ASSERT_EQ(of.transfers().size(), 2u);
  std::ostringstream table;
  export_transfers(of, table, {});
  EXPECT_THAT(table.str(), ContainsRegex("weights,[^\n]*,-1\n"));
  EXPECT_THAT(table.str(), ContainsRegex("other,[^\n]*,-1\n"));
  for (std::uint32_t i = 0; i < 2; ++i) {
    const auto rows = describe_transfer(of, i).tables.back().rows;
    ASSERT_EQ(rows.at(4).at(0), "left");
    ASSERT_EQ(rows.at(5).at(0), "arrived");
    EXPECT_EQ(rows[4][1], rows[5][1]) << "neither has happened";
  }
  for (const std::uint32_t handle : {0u, 1u})
    EXPECT_THAT(text_of(history(of, handle)), Not(HasSubstr("leaves rank")));
}

TEST(cache, of_which_nothing_was_recorded_is_not_said_to_be_unused) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  write_transfer(log, 0, 0, 1, {500, 2'000, 3'000, 10'000});
  log.close();
  leave_out(folder.path() + "/run.deed", "cache");
  const run events(folder.path() + "/run.deed");
  const std::string said = text_of(cache(model(events)));
  EXPECT_THAT(said, HasSubstr("not recorded: DEED_TRACE_EVENTS left out cache"));
  EXPECT_THAT(said, Not(HasSubstr("no use of a copy was recorded")));
}

TEST(waits, of_which_nothing_was_recorded_are_not_said_to_be_none) {
  for (const char* const category : {"xfer", "wait"}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 2, 0, 1);
    register_two(log);
    log.add(2'000, 0, app, record::phase_push, {1, 0});
    log.close();
    EXPECT_THAT(text_of(waits(model(run(folder.path() + "/run.deed")), {})),
                HasSubstr("nobody waits"));
    leave_out(folder.path() + "/run.deed", category);
    const std::string said = text_of(waits(model(run(folder.path() + "/run.deed")), {}));
    EXPECT_THAT(said,
                HasSubstr("not recorded: DEED_TRACE_EVENTS left out " + std::string(category)));
    EXPECT_THAT(said, Not(HasSubstr("nobody waits")));
  }
}

/// They go on at the same time.
TEST(waits, of_one_rank_for_another_take_no_longer_than_since_the_first_of_them) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  log.add(1'000, 0, app, record::xfer_post, {receive, 0, 0, 1, 0, 24, 0, 0, 1});
  log.add(2'000, 0, app, record::xfer_post, {receive, 1, 0, 1, 1, 24, 1, 0, 2});
  log.add(11'000, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  const auto said = waits(run.things(), {}).tables;
  const auto pairs = std::ranges::find_if(
      said, [](const table& each) { return each.title.starts_with("rank by rank"); });
  ASSERT_NE(pairs, said.end());
  EXPECT_THAT(pairs->columns, testing::ElementsAre("waits", "for", "times", "how long", "first"));
  ASSERT_EQ(pairs->rows.size(), 1u);
  EXPECT_EQ(pairs->rows[0][2], "2");
  EXPECT_EQ(pairs->rows[0][3], "10.0 us");
}

TEST(sizes, are_of_what_travelled) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  // What is asked for again and never leaves was not sent twice.
  log.add(1'000, 0, app, record::xfer_post, {receive, 1, 0, 1, 0, 24, 0, 0, 1});
  log.add(1'001, 0, app, record::xfer_post, {receive, 1, 0, 1, 1, 24, 0, 0, 2});
  log.add(2'000, 0, app, record::xfer_post, {receive, 0, 0, 1, 0, 24, 0, 0, 1});
  log.add(3'000, 0, net, record::xfer_done, {0, 0, 1, 0, receive, 0, 32'000});
  log.add(4'000, 0, app, record::cache_lookup, {0, 0, 1, 0, 1});
  const opened run(folder, log);
  EXPECT_EQ(sizes_of_data(run.things()), (std::vector<std::uint64_t>{32'000, 24}));
  EXPECT_THAT(text_of(cache(run.things())), HasSubstr("32.0 kB that did not travel again"));
  EXPECT_THAT(
      text_of(info(run.things())),
      HasSubstr("1 transfer, 0 redundant (0 B); 2 more were called for and never took place"));
  const answer matrix = comm_matrix(run.things());
  EXPECT_THAT(matrix.sentences.front(),
              HasSubstr("1 message, 32.0 kB; 2 more were called for and never took place"));
  EXPECT_EQ(matrix.tables[0].columns.back(), "pending");
  EXPECT_EQ(matrix.tables[0].rows[0].back(), "2");
  EXPECT_EQ(comm_square(run.things(), traffic_of::bytes).sentences, matrix.sentences);
}

/// Its sender was ready when the run was killed, and nobody had asked for it.
TEST(transfers, that_were_offered_and_not_taken_are_none) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  log.add(1'000, 1, app, record::xfer_post, {send, 0, 0, 0, 0, 24, 0, 0, 1});
  log.add(2'000, 1, app, record::xfer_start, {0, 0, 0, 0, send, 0});
  log.add(3'000, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log, left::killed);
  EXPECT_THAT(
      text_of(info(run.things())),
      HasSubstr("0 transfers, 0 redundant (0 B); 1 more was called for and never took place"));
  const answer matrix = comm_matrix(run.things());
  EXPECT_THAT(matrix.sentences.front(), HasSubstr("0 messages, 0 B; 1 more was called for"));
  EXPECT_EQ(matrix.tables[0].rows[0][2], "0");
  EXPECT_EQ(matrix.tables[0].rows[0].back(), "1");
  EXPECT_THAT(text_of(cache(run.things())), Not(HasSubstr("is not known of rank")));
  const scratch_folder other;
  event_log nothing(other.path() + "/run.deed", 2, 0, 1);
  register_two(nothing);
  nothing.add(3'000, 0, app, record::phase_push, {1, 0});
  const opened without(other, nothing, left::killed);
  EXPECT_EQ(text_of(diff(run.things(), without.things())),
            text_of(diff(without.things(), without.things())));
}

/// What its sender began at 2 us, its receiver looked for at 100 us.
TEST(why_twice, says_in_both_of_its_tables_when_a_version_left) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  write_transfer(log, 0, 0, 1, {500, 1'000, 1'500, 1'600});
  log.add(1'700, 0, app, record::cache_drop, {0, 0, 1, 1, 0});
  write_transfer(log, 0, 1, 2, {1'800, 2'000, 100'000, 108'000});
  const opened run(folder, log);
  const answer said = why_twice(run.things(), 0);
  std::map<std::string, std::vector<std::string>> left;
  for (const table& each : said.tables)
    for (std::size_t c = 0; c < each.columns.size(); ++c)
      if (each.columns[c] == "left")
        for (const auto& row : each.rows) left[each.title].push_back(row[c]);
  EXPECT_THAT(left["each of them"], testing::ElementsAre("100.0 us"));
  EXPECT_THAT(left["transfers of weights"], testing::ElementsAre("1.5 us", "100.0 us"));
}

/// No task, no copy: nothing of a copy could be known.
TEST(cache, names_ranks_of_unknown_use_only_where_a_copy_came) {
  const std::string unknown = "which copies were used is not known of rank";
  {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 2, 0, 1);
    register_two(log);
    log.add(2'000, 0, app, record::phase_push, {1, 0});
    const opened run(folder, log);
    EXPECT_THAT(text_of(cache(run.things())), Not(HasSubstr(unknown)));
  }
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  write_transfer(log, 0, 0, 1, {500, 1'000, 1'500, 1'600});
  const opened run(folder, log);
  EXPECT_THAT(text_of(cache(run.things())), HasSubstr(unknown + " 0\n")) << "it came to rank 0";
}

/// Rank 0 gets the version that rank 1 registered; its program drops it at once.
class dropped_copy : public testing::Test {
 protected:
  void drop(std::int64_t when) { log.add(when, 0, app, record::cache_drop, {0, 0, 1, 1, 0}); }
  std::vector<std::int64_t> changes() { return changes_in(opened(folder, log).things()); }
  /// The moments at which rank 0 gets or loses the copy.
  static std::vector<std::int64_t> changes_in(const model& of) {
    std::vector<std::int64_t> found;
    datum_walk walk(of, 0);
    bool had = false;
    for (const std::int64_t when : times_of_change(of, 0, true)) {
      walk.advance(when);
      const bool has = walk.state().copies[0].kind == copy_kind::shared;
      if (std::exchange(had, has) != has) found.push_back(when);
    }
    return found;
  }

  const scratch_folder folder;
  event_log log{folder.path() + "/run.deed", 2, 0, 1};
};

TEST_F(dropped_copy, is_there_from_its_arrival_to_the_end_of_its_last_use) {
  register_two(log);
  write_transfer(log, 0, 0, 1, {400, 2'000, 1'500, 10'000});
  write_task(log, 1, 0, 11'000, 20'000);
  write_task(log, 2, 0, 25'000, 30'000);
  drop(501);
  EXPECT_EQ(changes(), (std::vector<std::int64_t>{10'000, 30'000}));
}

TEST_F(dropped_copy, goes_at_once_where_nothing_uses_it) {
  register_two(log);
  write_transfer(log, 0, 0, 1, {400, 2'000, 1'500, 10'000});
  write_task(log, 1, 0, 11'000, 20'000);
  drop(25'000);
  log.add(26'000, 0, app, record::phase_push, {1, 0});
  EXPECT_EQ(changes(), (std::vector<std::int64_t>{10'000, 25'000}));
}

TEST_F(dropped_copy, that_was_not_used_goes_when_it_arrives) {
  register_two(log);
  write_transfer(log, 0, 0, nobody, {400, 2'000, 1'500, 10'000});
  drop(501);
  write_transfer(log, 0, 1, nobody, {502, 12'000, 11'500, 20'000});
  EXPECT_EQ(changes(), (std::vector<std::int64_t>{20'000}));
}

TEST_F(dropped_copy, does_not_go_where_it_has_come_again) {
  register_two(log);
  write_transfer(log, 0, 0, 1, {400, 2'000, 1'500, 10'000});
  write_task(log, 1, 0, 11'000, 20'000);
  drop(501);
  write_transfer(log, 0, 1, 2, {502, 12'000, 11'500, 15'000});
  drop(503);
  EXPECT_EQ(changes(), (std::vector<std::int64_t>{10'000, 15'000})) << "none used the second one";
}

TEST_F(dropped_copy, goes_in_a_slice_when_it_goes_in_the_run) {
  register_two(log);
  write_transfer(log, 0, 0, 1, {400, 2'000, 1'500, 10'000});
  write_task(log, 1, 0, 11'000, 30'000);
  drop(501);
  log.add(50'000, 0, app, record::phase_push, {1, 0});
  const opened all(folder, log);
  for (const std::int64_t from : {1'000, 9'000, 20'000}) {
    const std::string part = folder.path() + "/from_" + std::to_string(from) + ".deed";
    slice(all.events(), part, {time_range{from, 40'000}, {}});
    const run cut(part);
    EXPECT_EQ(changes_in(model(cut)).back(), 30'000) << "of a slice from " << from;
  }
}

TEST_F(dropped_copy, stays_with_a_task_that_does_not_end) {
  register_two(log);
  write_transfer(log, 0, 0, 1, {400, 2'000, 1'500, 10'000});
  log.add(500, 0, app, record::task_submit, {1, 0, 0, 0, 0, 1});
  log.add(500, 0, app, record::task_access, {1, 0, 0, read_it, 0, 0});
  log.add(11'000, 0, app, record::task_begin, {1, 0});
  drop(501);
  EXPECT_EQ(changes(), (std::vector<std::int64_t>{10'000}));
}

/// A datum of rank 1 that moves to rank 0. Each rank tells of it when its program comes to it.
TEST(migration, is_done_once_when_the_value_is_there) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 3, 0, 1);
  register_two(log);
  const auto tell = [&](std::int64_t when, int rank) {
    log.add(when, rank, app, record::owner, {0, 0, 1, 0, 1, 0});
  };
  tell(400, 0);
  tell(600, 1);
  constexpr std::uint64_t migrate = 3;
  log.add(401, 0, app, record::xfer_post, {receive, 0, 0, 1, 0, 24, 0, migrate, nobody});
  log.add(700, 1, net, record::xfer_start, {0, 0, 0, 0, send, 0});
  log.add(10'000, 0, app, record::xfer_done, {0, 0, 1, 0, receive, 0});
  tell(50'000, 2);
  const opened run(folder, log);
  const auto owners = [&](std::int64_t when) {
    const datum_state state = state_at(run.things(), 0, when);
    return std::pair(state.owner, state.moves_to);
  };
  using numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(owners(300), std::pair(1u, numbers{}));
  EXPECT_EQ(owners(9'999), std::pair(1u, numbers{0})) << "it is called for";
  EXPECT_EQ(owners(10'000), std::pair(0u, numbers{}));
  EXPECT_EQ(owners(50'000), std::pair(0u, numbers{}));
  EXPECT_THAT(text_of(why_twice(run.things(), 0)), HasSubstr("24 B  a migration"));
}

/// The bars of the transfers of a rank.
std::vector<track_span> bars_of(const model& of, int rank, span_type type) {
  std::vector<track_span> found;
  for (const timeline_lane& lane : make_lanes(of))
    for (const track& each : lane.tracks)
      for (const track_span& span : each.spans())
        if (lane.rank == rank && span.type == type) found.push_back(span);
  return found;
}

TEST(lanes, begin_to_receive_when_the_receiver_has_asked) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  write_transfer(log, 0, 0, 1, {50'000, 2'000, -1, 60'000});
  const opened run(folder, log);
  const auto sends = bars_of(run.things(), 1, span_type::send),
             receives = bars_of(run.things(), 0, span_type::receive);
  ASSERT_EQ(sends.size(), 1u);
  ASSERT_EQ(receives.size(), 1u);
  EXPECT_EQ(sends[0].begin, 2'000);
  EXPECT_EQ(receives[0].begin, 50'000);
  EXPECT_EQ(receives[0].end, 60'000);
}

TEST(lanes, of_a_slice_have_transfers_that_lie_across_its_ends) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  write_transfer(log, 0, 0, 1, {1'000, 2'000, 1'500, 60'000});
  log.add(70'000, 1, net, record::xfer_done, {0, 0, 0, 0, send, 0});
  const opened all(folder, log);
  const std::string part = folder.path() + "/part.deed";
  slice(all.events(), part, {time_range{40'000, 65'000}, {}});
  const deed::viewer::run events(part);
  const model cut(events);
  const auto sends = bars_of(cut, 1, span_type::send),
             receives = bars_of(cut, 0, span_type::receive);
  ASSERT_EQ(sends.size(), 1u);
  ASSERT_EQ(receives.size(), 1u);
  EXPECT_EQ(sends[0].begin, 2'000) << "as the whole run knows it";
  EXPECT_EQ(receives[0].begin, 2'000);
  EXPECT_EQ(receives[0].end, 60'000);
  std::ostringstream chrome;
  export_chrome(cut, chrome, {});
  for (const char* const each : {"send weights v0", "receive weights v0", R"("ph": "s")"})
    EXPECT_THAT(chrome.str(), HasSubstr(each));
}

}  // namespace
