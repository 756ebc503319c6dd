// SPDX-License-Identifier: MIT
// What answers say of runs that were written by hand: each has one thing that is easy to tell
// wrong.
#include <deed/trace/recorder.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/ask/gaps.hpp"
#include "analysis/ask/glossary.hpp"
#include "analysis/ask/sizes.hpp"
#include "analysis/ask/slack.hpp"
#include "analysis/ask/what_if.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/read/outline.hpp"
#include "analysis/say/backtrace.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"
#include "scratch_folder.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <utility>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;
using testing::Not;

std::map<std::string, std::int64_t> parts_of(const model& m, int rank, const run_part& part = {}) {
  std::map<std::string, std::int64_t> found;
  for (const worker_time& each : shares(m, part).workers)
    if (m.events().lanes()[each.lane].rank == rank)
      for (const auto& [what, time] : each.parts) found[what] += time;
  return found;
}

/// Rank 1 dies in a task that rank 0 waits for.
void write_dead_rank(event_log& log) {
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
  log.add(1'000, 1, worker, record::task_begin, {7, 0});
  log.add(1'500, 0, app, record::xfer_post, {receive, 0, 1, 1, 0, 8, 3, 0, 9});
  log.add(2'000, 0, worker, record::state, {fetch_wait, 0, 0});
  log.add(100'000, 0, app, record::phase_push, {1, 0});
}

TEST(dead_rank, does_nothing_after_its_last_record) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_dead_rank(log);
  const opened run(folder, log, left::killed);
  ASSERT_FALSE(run.events().ranks()[1].ended);
  const auto parts = parts_of(run.things(), 1);
  EXPECT_EQ(parts.at("after its last record"), 99'000);
  EXPECT_FALSE(parts.contains("task"));
  EXPECT_EQ(parts_of(run.things(), 1, time_range{40'000, 60'000}).at("after its last record"),
            20'000);
  for (const timeline_lane& lane : make_lanes(run.things()))
    for (const track& each : lane.tracks)
      for (const track_span& span : each.spans())
        if (lane.rank == 1) {
          EXPECT_LE(span.end, 1'000);
        }
}

TEST(dead_rank, is_named_and_waited_for) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_dead_rank(log);
  const opened run(folder, log, left::killed);
  for (const answer& each : {info(run.things()), breakdown(run.things(), {}),
                             waits(run.things(), {}), at_first_error(run.things(), {})})
    EXPECT_THAT(text_of(each), HasSubstr("rank 1 (last record at 1.0 us) did not close "));
  EXPECT_THAT(text_of(say_check(run.things(), {})),
              HasSubstr("no proof: rank 0, rank 1 did not end"));
  EXPECT_EQ(wait_matrix(run.things())[0][1], 98'000);
  EXPECT_TRUE(waits(run.things(), {}).findings);
}

/// Which rank is killed first, and in which wait of another, is a matter of the moment.
void write_two_that_run(event_log& log) {
  log.add(99'500, 0, worker, record::task_begin, {7, 0});
  log.add(100'000, 1, worker, record::task_begin, {8, 0});
}

TEST(killed_run, names_all_its_ranks_and_is_a_finding_of_waits) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_two_that_run(log);
  const opened run(folder, log, left::killed);
  ASSERT_TRUE(run.events().ranks()[0].is_cut() && run.events().ranks()[1].is_cut());
  const std::string all =
      "rank 0 (last record at 99.5 us), rank 1 (last record at 100.0 us) did not close";
  for (const answer& each : {info(run.things()), breakdown(run.things(), {}),
                             waits(run.things(), {}), at_first_error(run.things(), {})})
    EXPECT_THAT(text_of(each), HasSubstr(all));
  const answer said = waits(run.things(), {});
  EXPECT_THAT(text_of(said), HasSubstr("nobody waits"));
  EXPECT_TRUE(said.findings);
}

TEST(killed_run, is_a_finding_of_waits_while_another_rank_is_recorded) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_two_that_run(log);
  const opened recorded(folder, log, left::recorded);
  ASSERT_FALSE(waits(recorded.things(), {}).findings);
  const std::string file = recorded.events().path() + "/rank-000000/metadata";
  std::ifstream in(file);
  const std::string was(std::istreambuf_iterator<char>(in), {});
  std::ofstream(file) << std::regex_replace(was, std::regex("pid = [0-9]+"), "pid = 999999999");
  const run one_killed(recorded.events().path());
  ASSERT_TRUE(one_killed.ranks()[0].is_cut() && one_killed.ranks()[1].recorded);
  const model things(one_killed);
  EXPECT_THAT(text_of(waits(things, {})), HasSubstr("nobody waits"));
  EXPECT_TRUE(waits(things, {}).findings);
  const std::string ends = text_of(info(things));
  EXPECT_THAT(ends, HasSubstr("killed or stopped from outside\n"));
  EXPECT_THAT(ends, HasSubstr("still running\n"));
  EXPECT_THAT(ends, Not(HasSubstr("or still running")));
}

TEST(killed_run, is_none_while_it_is_recorded) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_two_that_run(log);
  const opened run(folder, log, left::recorded);
  ASSERT_TRUE(run.events().is_recorded());
  ASSERT_FALSE(run.events().ranks()[0].ended || run.events().ranks()[0].is_cut());
  EXPECT_THAT(say_silent_ranks(run.things()), testing::IsEmpty());
  EXPECT_FALSE(waits(run.things(), {}).findings);
}

TEST(killed_run, may_be_one_whose_rank_is_silent_for_long) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_dead_rank(log);
  const opened run(folder, log, left::recorded);
  EXPECT_THAT(say_silent_ranks(run.things()),
              testing::ElementsAre(
                  HasSubstr("rank 1 (last record at 1.0 us) did not close its recording: it "
                            "was killed, or says nothing since")));
  EXPECT_TRUE(waits(run.things(), {}).findings) << "rank 0 waits for it";
}

TEST(killed_run, is_known_to_its_end_and_one_that_is_recorded_to_where_all_were_read) {
  const scratch_folder killed, still;
  event_log log(killed.path() + "/run.deed", 2, 1, 1), growing(still.path() + "/run.deed", 2, 1, 1);
  write_two_that_run(log);
  write_two_that_run(growing);
  EXPECT_EQ(opened(killed, log, left::killed).things().head(), 100'000) << "no rank says more";
  EXPECT_EQ(opened(still, growing, left::recorded).things().head(), 99'500)
      << "rank 0 was read before rank 1";
}

/// One that failed leaves the others as they stood: they wait.
TEST(dead_rank, is_none_of_those_of_one_process) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_dead_rank(log);
  log.flush();
  std::filesystem::copy(folder.path() + "/run.deed", folder.path() + "/failed.deed",
                        std::filesystem::copy_options::recursive);
  const run events(folder.path() + "/failed.deed");
  const model things(events);
  ASSERT_FALSE(events.ranks()[1].ended);
  EXPECT_THAT(say_silent_ranks(things), testing::IsEmpty());
  EXPECT_FALSE(parts_of(things, 1).contains("after its last record"));
  EXPECT_THAT(
      text_of(breakdown(things, {})),
      HasSubstr(
          "rank 1 (last record at 1.0 us) records nothing more: virtual ranks are of one process"));
}

TEST(breakdown, of_a_range_behind_the_end_is_of_what_the_run_has) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_dead_rank(log);
  const opened run(folder, log);
  EXPECT_EQ(shares(run.things(), time_range{40'000, 1'000'000'000}).wall, 60'000);
  EXPECT_EQ(shares(run.things(), time_range{200'000, 1'000'000}).wall, 0);
}

/// Its first record of a state may come long after its first task.
TEST(breakdown, has_what_a_worker_does_between_tasks_before_it_says_a_state) {
  for (const bool says : {true, false}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 1, 1, 1);
    for (const std::uint64_t task : {1u, 2u}) {
      const auto begin = static_cast<std::int64_t>(10'000 * task);
      log.add(begin, 0, worker, record::task_begin, {task, 0});
      log.add(begin + 1'000, 0, worker, record::task_end, {task, 0});
    }
    if (says) log.add(30'000, 0, worker, record::state, {fetch_wait, 0, 0});
    log.add(40'000, 0, app, record::phase_push, {1, 0});
    const opened run(folder, log);
    const auto parts = parts_of(run.things(), 0);
    EXPECT_EQ(parts.contains("scheduling"), says);
    EXPECT_EQ(parts.contains("not recorded"), !says);
    if (says) {
      EXPECT_EQ(parts.at("scheduling"), 9'000 + 9'000);
    }
  }
}

/// The program waits, too, beside the worker of its rank; its time is none of the workers'.
TEST(waits, are_of_the_threads_that_the_breakdown_is_of) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
  log.add(1'000, 0, app, record::xfer_post, {receive, 0, 1, 1, 0, 8, 3, 0, 9});
  log.add(2'000, 0, app, record::state, {fetch_wait, 0, 0});
  log.add(2'000, 0, worker, record::state, {fetch_wait, 0, 0});
  log.add(50'000, 1, net, record::xfer_start, {0, 1, 0, 0, send, 3});
  log.add(90'000, 0, net, record::xfer_done, {0, 1, 1, 0, receive, 3, 8});
  log.add(100'000, 0, net, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_EQ(parts_of(run.things(), 0).at("fetch wait"), 98'000);
  EXPECT_EQ(wait_matrix(run.things())[0][1], 98'000);
  const answer said = waits(run.things(), {});
  EXPECT_THAT(render(said, style::json, {}, 10),
              HasSubstr("as in `breakdown`, of the threads that run tasks"));
}

/// As one that helps its workers: it waits in vain then, as they do.
TEST(waits, are_of_a_program_that_ran_tasks_beside_its_workers_too) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
  log.add(1'000, 0, app, record::task_begin, {7, 0});
  log.add(2'000, 0, app, record::task_end, {7, 0});
  log.add(3'000, 0, app, record::xfer_post, {receive, 0, 1, 1, 0, 8, 3, 0, 9});
  log.add(4'000, 0, app, record::state, {fetch_wait, 0, 0});
  log.add(100'000, 0, net, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_EQ(parts_of(run.things(), 0).at("fetch wait"), 96'000);
  EXPECT_EQ(wait_matrix(run.things())[0][1], 96'000);
}

/// A column of numbers has its unit, and no cell of it is a text alone.
void expect_numbers(const answer& said, const std::string& title,
                    const std::vector<std::string>& columns) {
  const auto rows = std::ranges::find(said.tables, title, &table::title);
  ASSERT_NE(rows, said.tables.end()) << title;
  for (const std::string& column : columns) {
    const auto at = std::ranges::find(rows->columns, column) - rows->columns.begin();
    for (const auto& row : rows->rows)
      EXPECT_NE(row[static_cast<std::size_t>(at)].in(), unit::text) << title << ": " << column;
  }
}

TEST(numbers, are_there_for_programs_where_there_are_words) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.inject = {{"drift", 1}};
  generate(options);
  const run events(options.path);
  const model things(events);
  expect_numbers(stats(things, {}), "per codelet", {"min", "median", "p99", "max"});
  expect_numbers(info(things), "clocks, by their messages", {"ahead", "drift", "error"});
  EXPECT_THAT(text_of(info(things)), Not(HasSubstr("+-0 ns")));
  expect_numbers(info(things), "clocks, as ranks measured them", {"ahead", "drift", "error"});
  expect_numbers(diff(things, things), "time of a task", {"change"});
  const std::int64_t when = events.end() / 2;
  expect_numbers(state(things, when), "state at " + say_time(when), {"in flight", "lent"});
  EXPECT_THAT(render(stats(things, {}), style::csv, {}, 10), HasSubstr("min (ns)"));
  EXPECT_THAT(render(info(things), style::json, {}, 10), HasSubstr("\"ppm\""));
}

TEST(dead_rank, is_not_seen_where_all_ended) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_dead_rank(log);
  const opened run(folder, log);
  EXPECT_THAT(say_silent_ranks(run.things()), testing::IsEmpty());
  EXPECT_EQ(parts_of(run.things(), 1).at("task"), 99'000);
}

/// A program that runs tasks outside of what it says it waits in, as it did in a full window.
TEST(shares, of_a_program_that_runs_tasks_outside_of_its_waits_add_up) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 0, 1);
  log.add(1'000, 0, app, record::wait_begin, {2, 0, 0});
  log.add(2'000, 0, app, record::wait_end, {2, 0});
  log.add(10'000, 0, app, record::state, {fetch_wait, 0, 0});
  log.add(20'000, 0, app, record::task_begin, {1, 0});
  log.add(30'000, 0, app, record::task_end, {1, 0});
  log.add(30'000, 0, app, record::state, {fetch_wait, 0, 0});
  log.add(100'000, 0, net, record::phase_push, {1, 0});
  const opened run(folder, log);
  std::int64_t sum = 0;
  for (const auto& [what, time] : parts_of(run.things(), 0)) sum += time;
  EXPECT_EQ(sum, 100'000);
  EXPECT_EQ(parts_of(run.things(), 0).at("program"), 9'000);
}

/// As a program does that checks its result by itself.
TEST(breakdown, says_how_long_workers_had_no_task_beside_a_program_at_work) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  constexpr std::uint64_t idle_no_task = 2;
  log.add(10'000, 0, app, record::wait_begin, {2, 0, 0});
  log.add(20'000, 0, worker, record::state, {idle_no_task, 0, 0});
  log.add(30'000, 0, app, record::wait_end, {2, 0});
  log.add(100'000, 0, net, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_THAT(text_of(breakdown(run.things(), {})),
              HasSubstr("idle, no task: 70.0 us of it while the program of the rank"));
  EXPECT_THAT(text_of(breakdown(run.things(), time_range{0, 30'000})),
              Not(HasSubstr("of it while")));
}

TEST(full_window, is_a_wait_with_a_name) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 0, 1);
  log.add(1'000, 0, app, record::wait_begin,
          {static_cast<std::uint64_t>(deed::trace::wait_kind::window), 4'096, 0});
  const opened run(folder, log);
  EXPECT_THAT(text_of(print(run.things(), {"wait_begin"}, {}, 10)), HasSubstr("full window"));
}

/// Rank 0: a writes x, b reads it; rank 1: c reads it, too.
void write_three_tasks(event_log& log) {
  for (const int rank : {0, 1}) log.rank(rank).codelet("work", deed::place::current());
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24});
  const auto insert = [&](int rank, std::uint64_t number, std::uint64_t mode,
                          std::uint64_t version) {
    log.add(1, rank, app, record::task_submit,
            {number, 0, static_cast<std::uint64_t>(rank), 0, 0, 1});
    log.add(1, rank, app, record::task_access,
            {number, 0, 0, mode, version, mode == write_it ? version + 1 : version});
  };
  insert(0, 0, write_it, 0);
  insert(0, 1, read_it, 1);
  insert(1, 2, read_it, 1);
  const auto run_it = [&](int rank, std::uint64_t number, std::int64_t begin, std::int64_t end) {
    log.add(begin, rank, worker, record::task_begin, {number, 0});
    log.add(end, rank, worker, record::task_end, {number, 0});
  };
  run_it(0, 0, 1'000, 101'000);
  run_it(0, 1, 121'000, 151'000);
  run_it(1, 2, 301'000, 401'000);
  log.add(101'000, 0, net, record::xfer_post, {send, 0, 1, 1, 0, 24, 0, 0, ~0ull});
  log.add(151'000, 0, net, record::xfer_start, {0, 1, 1, 0, send, 0});
  log.add(2'000, 1, net, record::xfer_post, {receive, 0, 1, 0, 0, 24, 0, 0, 2});
  log.add(251'000, 1, net, record::xfer_done, {0, 1, 0, 0, receive, 0});
}

TEST(slack, is_how_much_later_a_task_could_have_ended) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_three_tasks(log);
  const opened run(folder, log);
  // c ends the run. It could not begin before x had arrived, 100 us later than it left.
  EXPECT_THAT(slack(run.things()), testing::ElementsAre(100'000, 250'000, 0));
}

TEST(breakdown, names_the_longest_gaps_and_what_they_waited_for) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_three_tasks(log);
  const opened run(folder, log);
  const table gaps = say_gaps(run.things(), 2);
  ASSERT_EQ(gaps.rows.size(), 2u);
  EXPECT_EQ(gaps.rows[0][0], "rank 1 w00");
  EXPECT_EQ(gaps.rows[0][3], "301.0 us");
  EXPECT_EQ(gaps.rows[0][6], "x v1 from rank 0");
  EXPECT_EQ(gaps.rows[0][7], "251.0 us");
  EXPECT_EQ(gaps.rows[1][5], "nothing more");
  EXPECT_THAT(text_of(breakdown(run.things(), {}, shares_per::rank)), HasSubstr("per rank\n"));
}

TEST(stats, count_by_what_was_asked_for) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_three_tasks(log);
  const opened run(folder, log);
  const answer said = stats(run.things(), {}, {stats_by::worker}, true);
  ASSERT_EQ(said.tables.size(), 2u);
  EXPECT_EQ(said.tables[0].rows[0][1], "2");
  EXPECT_EQ(said.tables[1].rows.front()[0], "16.4 us") << "30 us";
  EXPECT_EQ(said.tables[1].rows.back()[2], "2") << "100 us each";
  EXPECT_EQ(comm_square(run.things(), traffic_of::time).tables[0].rows[0][2], "100.0 us");
}

/// By nearest rank: of less than a hundred tasks the longest one, of a hundred the last but one.
TEST(stats, say_which_time_99_of_100_tasks_do_not_exceed) {
  const std::map<std::uint64_t, std::pair<std::string, std::string>> expected{
      {1, {"1.0 us", "1.0 us"}},
      {2, {"1.0 us", "2.0 us"}},
      {50, {"25.0 us", "50.0 us"}},
      {100, {"50.0 us", "99.0 us"}},
      {101, {"51.0 us", "100.0 us"}}};
  for (const auto& [tasks, times] : expected) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 1, 0, 1);
    for (std::uint64_t i = 1; i <= tasks; ++i) {
      const auto begin = static_cast<std::int64_t>(i * 200'000);
      write_task(log, i, 0, begin, begin + static_cast<std::int64_t>(i * 1'000));
    }
    const opened run(folder, log);
    const answer said = stats(run.things(), {});
    const auto row = said.tables.at(1).rows.at(0);
    EXPECT_EQ(row.at(3), times.first) << tasks;
    EXPECT_EQ(row.at(4), times.second) << tasks;
  }
}

TEST(history, of_a_version_has_what_made_it_and_what_used_it) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_three_tasks(log);
  const opened run(folder, log);
  EXPECT_EQ(history(run.things(), 0).tables[0].rows.size(), 15u);
  EXPECT_EQ(history(run.things(), 0, {}, 1).tables[0].rows.size(), 14u)
      << "without its registration";
  EXPECT_EQ(history(run.things(), 0, {}, 0).tables[0].rows.size(), 3u)
      << "the task that wrote over it: inserted, begun, ended";
}

TEST(history, tells_what_was_inserted_from_what_ran) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_three_tasks(log);
  const opened run(folder, log);
  const table life = history(run.things(), 0).tables[0];
  ASSERT_EQ(life.columns[1], "stage");
  std::vector<std::string> told;
  for (const auto& row : life.rows) told.push_back(row[1] + ": " + row[2]);
  EXPECT_THAT(told, testing::Contains("inserted: work#0 uses x (W): v0 -> v1"));
  EXPECT_THAT(told, testing::Contains("runs: rank 0 w00 began work#0, which writes v1"));
  EXPECT_THAT(told, testing::Contains("runs: rank 0 w00 ended work#0: v1 is there"));
  EXPECT_THAT(told, testing::Contains("runs: rank 1 w00 began work#2, which reads v1"));
  EXPECT_THAT(told, testing::Contains(HasSubstr("inserted: rank 1 asked for x v1 from rank 0")));
  EXPECT_THAT(told, testing::Contains("runs: rank 1 has received x v1 from rank 0"));
  const auto at = [&](const std::string& what) {
    return std::ranges::find(told, what) - told.begin();
  };
  EXPECT_LT(at("runs: rank 0 w00 ended work#0: v1 is there"),
            at("runs: rank 0 w00 began work#1, which reads v1"));
  const auto late = history(run.things(), 0, time_range{400'000, 401'000}).tables[0].rows;
  ASSERT_EQ(late.size(), 1u) << "a part has the end of a task alone";
  EXPECT_EQ(late[0][2], "rank 1 w00 ended work#2");
}

TEST(history, has_the_end_of_a_wait_for_a_message) {
  const auto request = static_cast<std::uint64_t>(deed::trace::wait_kind::request);
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  register_two(log);
  log.add(2'000, 0, app, record::wait_begin, {request, 0, 0, 1, 0, 4});
  log.add(9'000, 0, app, record::wait_end, {request, 0});
  log.add(20'000, 0, app, record::wait_begin, {request, 0, 0, 1, 0, 5});
  log.add(30'000, 1, worker, record::state, {fetch_wait, 0, 0});
  const opened run(folder, log);
  const auto rows = history(run.things(), 0, {}, 4).tables[0].rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0][0], "2.0 us");
  EXPECT_EQ(rows[1][0], "9.0 us");
  EXPECT_EQ(rows[1][2], "rank 0 has waited 7.0 us for this message");
  EXPECT_EQ(history(run.things(), 0, {}, 5).tables[0].rows.size(), 1u) << "it does not end";
}

/// A run of one rank on virtual ranks, in the order of a seed.
std::string run_of_seed(const scratch_folder& folder, std::uint64_t seed, std::uint64_t rest) {
  const std::string path =
      folder.path() + "/" + std::to_string(seed) + "-" + std::to_string(rest) + ".deed";
  deed::trace::recorder_options options;
  options.path = path;
  const manual_clock clock;
  deed::trace::recorder made(options, deed::trace::run_identity{{seed, rest}, 0, 1}, &clock);
  deed::trace::stream& program =
      made.open_stream(deed::trace::stream_kind::application, 0, "program");
  program.phase_push(1, 0);
  program.task_begin(1, 0);
  program.task_end(1, deed::trace::task_status::ok);
  made.close();
  return path;
}

/// A body that did not run takes no time, whatever its task's flops say.
TEST(seed, does_not_count_cancelled_tasks_as_those_that_took_no_time) {
  const scratch_folder folder;
  deed::trace::recorder_options options;
  options.path = folder.path() + "/run.deed";
  manual_clock clock;
  deed::trace::recorder made(options, deed::trace::run_identity{{0, 0}, 0, 1}, &clock);
  deed::trace::stream& program =
      made.open_stream(deed::trace::stream_kind::application, 0, "program");
  for (const std::uint64_t task : {1u, 2u}) {
    program.task_begin(task, 0);
    clock.at += task == 1 ? 1'000 : 0;
    program.task_end(
        task, task == 1 ? deed::trace::task_status::ok : deed::trace::task_status::cancelled);
  }
  made.close();
  EXPECT_EQ(say_no_flops(model(run(options.path))), "");
}

TEST(seed, is_said_where_it_chose_the_order) {
  const scratch_folder folder;
  const std::string warning = "virtual ranks in the order of seed 7";
  const run ordered(run_of_seed(folder, 7, 0)), by_time(run_of_seed(folder, 0, 0)),
      made_up(run_of_seed(folder, 7, 5));
  for (const answer& each :
       {info(model(ordered)), breakdown(model(ordered), {}), say_critical_path(model(ordered))})
    EXPECT_THAT(text_of(each), HasSubstr(warning));
  EXPECT_EQ(seed_of(by_time), 0u);
  EXPECT_EQ(say_seed(seed_of(by_time)), "");
  for (const model& each : {model(ordered), model(made_up)}) EXPECT_EQ(say_no_flops(each), "");
  const model timeless(by_time);
  for (const answer& each : {info(timeless), stats(timeless, {}), breakdown(timeless, {}),
                             say_critical_path(timeless), what_if(timeless, {})})
    EXPECT_THAT(text_of(each), HasSubstr("and nothing without them; the task took no time"));
  EXPECT_THAT(text_of(info(outline_of(by_time.path()))),
              HasSubstr("in the order of virtual time: a task takes what its deed::flops say"));
  EXPECT_EQ(seed_of(made_up), std::nullopt);
  EXPECT_THAT(text_of(info(model(made_up))), Not(HasSubstr("seed")));
}

/// A failed run: rank 0 threw, and rank 1 waits for all versions that it would have sent.
TEST(waits, of_a_failed_run_begin_with_what_failed_and_what_was_asked_for_first) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "column", .bytes = 24});
  for (std::uint64_t version = 1; version <= 12; ++version)
    log.add(1'000 + static_cast<std::int64_t>(version), 1, app, record::xfer_post,
            {receive, 0, version, 0, 0, 24, 1, 2, nobody});
  log.add(2'000, 1, worker, record::state, {fetch_wait, 0, 0});
  log.add(3'000, 0, worker, record::error, {807, 0, 0, 1, 0, 0, none, none});
  log.add(9'000, 1, net, record::phase_push, {1, 0});
  const opened run(folder, log);
  const answer said = waits(run.things(), {});
  EXPECT_TRUE(said.findings);
  EXPECT_THAT(said.sentences.front(), HasSubstr("3.0 us: rank 0 reports"));
  EXPECT_THAT(text_of(said), HasSubstr("11 of them are for later versions of the same data"));
  for (const table& each : said.tables)
    if (each.title == "who waits for whom") {
      ASSERT_EQ(each.rows.size(), 1u);
      EXPECT_THAT(each.rows[0][2], HasSubstr("column v1,"));
    }
  EXPECT_EQ(wait_matrix(run.things())[1][0], 7'000) << "for what never came";
}

TEST(waits, name_the_latest_task_first) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  std::int64_t now = 1'000'000;
  for (const std::int64_t late : {200'000, 900'000, 500'000}) {
    const auto number = static_cast<std::uint64_t>(late);
    log.add(now, 0, app, record::task_ready, {number, 0, 0});
    log.add(now + late, 0, worker, record::task_begin, {number, 0});
    log.add(now + late + 10, 0, worker, record::task_end, {number, 0});
    now += 2'000'000;
  }
  const opened run(folder, log);
  const auto tables = waits(run.things(), {}).tables;
  const auto late = std::ranges::find_if(
      tables, [](const table& each) { return each.title.starts_with("ready,"); });
  ASSERT_NE(late, tables.end());
  ASSERT_EQ(late->rows.size(), 3u);
  EXPECT_EQ(late->rows[0][4], "900.0 us");
  EXPECT_EQ(late->rows[2][4], "200.0 us");
}

/// Of rank 1 alone nothing says that it ran what it submitted, and rank 0 left no task of its own.
TEST(task_that_did_not_run, is_described_by_what_is_known) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  for (const int rank : {0, 1}) log.rank(rank).codelet("work", deed::place::current());
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
  log.add(1'000, 1, app, record::task_submit, {7, 0, 1, 0, 0, 1});
  log.add(1'001, 1, app, record::task_access, {7, 0, 0, write_it, 0, 1});
  log.add(1'002, 1, app, record::task_submit, {8, 0, 1, 0, 0, 1});
  log.add(1'003, 1, app, record::task_access, {8, 0, 0, read_it, 1, 1});
  log.add(1'004, 0, app, record::task_submit, {7, 0, 1, 0, 0, 1});
  log.add(1'005, 1, app, record::task_submit, {9, 0, 0, 0, 0, 0});
  log.add(1'500, 1, app, record::task_ready, {7, 0, 0});
  log.add(9'000, 1, net, record::state, {fetch_wait, 0, 0});
  const opened run(folder, log, left::killed);
  const model& m = run.things();
  const std::string first = text_of(describe_task(m, m.find_task(1, 7)));
  EXPECT_THAT(first, HasSubstr("work#7 is of rank 1; that it ran is not recorded, until 9.0 us."));
  EXPECT_THAT(first, HasSubstr("Its codelet is `work` at answers_test.cpp:"));
  EXPECT_THAT(first, HasSubstr("It was ready at 1.5 us, and no worker had begun it."));
  EXPECT_THAT(text_of(describe_task(m, m.find_task(1, 8))),
              HasSubstr("That it was ready is not recorded; not written yet was x v1 of work#7."));
  std::vector<std::string> submitted;
  for (const event& e : run.events().events())
    if (e.what == record::task_submit) submitted.push_back(say_event(m, e));
  EXPECT_THAT(submitted, testing::Contains(HasSubstr("rank 0 submitted work#7 for rank 1")));
  EXPECT_THAT(submitted, testing::Contains(HasSubstr("rank 1 submitted work#9 for rank 0")));
}

TEST(check, proves_nothing_of_a_run_that_was_killed_or_failed) {
  const scratch_folder folder, other;
  event_log log(folder.path() + "/run.deed", 2, 1, 1), failed(other.path() + "/run.deed", 2, 1, 1);
  log.add(1'000, 0, app, record::phase_push, {1, 0});
  log.add(1'000, 1, app, record::phase_push, {1, 0});
  const opened killed(folder, log, left::killed);
  const std::string said = text_of(say_check(killed.things(), {}));
  EXPECT_THAT(said, Not(HasSubstr("proved")));
  EXPECT_THAT(said, HasSubstr("that is no proof: rank 0, rank 1 did not end their "
                              "recording, they were killed or run"));
  EXPECT_THAT(said, HasSubstr("not recorded: no rank said what it believed"));
  failed.add(1'000, 0, worker, record::error, {807, none, 0, 1, 0, 0, none, none});
  const opened threw(other, failed);
  const std::string of_failed = text_of(say_check(threw.things(), {}));
  EXPECT_THAT(of_failed, Not(HasSubstr("proved")));
  EXPECT_THAT(of_failed, HasSubstr("that is no proof: the run failed, 1.0 us: rank 0 reports"));
}

/// Rank 1 crashes in a task; its program still records, and rank 0 was silent before.
void write_crash(event_log& log) {
  const auto codelet = log.rank(1).codelet("bad", deed::place::current());
  log.add(500, 0, app, record::phase_push, {1, 0});
  log.add(1'000, 1, worker, record::task_begin, {7, codelet});
  log.add(2'000, 1, worker, record::fatal_signal, {11, none});
  log.add(100'000, 1, app, record::phase_push, {1, 0});
}

TEST(crash, is_told_before_those_that_fell_silent) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_crash(log);
  const opened run(folder, log, left::killed);
  const model& m = run.things();
  for (const answer& each : {info(m), breakdown(m, {}), waits(m, {})})
    EXPECT_THAT(text_of(each), HasSubstr("2.0 us: rank 1 was ended by SIGSEGV\n"
                                         "rank 0 (last record at 500 ns) did not close"));
  EXPECT_THAT(text_of(say_check(m, {})),
              HasSubstr("that is no proof: the run failed, 2.0 us: rank 1 was ended by SIGSEGV"));
  const std::string ends = text_of(info(m));
  EXPECT_THAT(ends, HasSubstr("crashed, SIGSEGV\n"));
  EXPECT_THAT(ends, HasSubstr("ended with rank 1, of its process\n"));
  EXPECT_THAT(ends, Not(HasSubstr("still running")));
}

TEST(crash, ends_what_its_thread_did) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_crash(log);
  const opened run(folder, log, left::killed);
  EXPECT_EQ(parts_of(run.things(), 1).at("bad"), 1'000);
  EXPECT_EQ(parts_of(run.things(), 1).at("after its last record"), 98'000);
  EXPECT_EQ(run.things().known_until(1), 100'000) << "its program went on";
}

/// In the program of rank 1, which waits in a phase with a borrow.
TEST(crash, outside_of_tasks_is_told_by_what_its_thread_was_in) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  auto& rank = log.rank(1);
  for (std::uint32_t h : {0u, 1u})
    rank.handle_registered({.handle = h, .name = h == 0 ? "x" : "y", .bytes = 8});
  const std::uint64_t step = rank.text("step");
  const std::uint64_t line = rank.location(deed::place::current());
  log.add(600, 1, app, record::phase_push, {step, 2});
  log.add(700, 1, app, record::borrow, {0, 1, 0, line});
  log.add(710, 1, app, record::borrow, {1, 1, 0, line});
  log.add(800, 1, app, record::release, {1, 1, 0, line});
  log.add(900, 1, app, record::wait_begin, {2, 0, line});
  log.add(2'000, 1, app, record::fatal_signal, {11, none});
  const opened run(folder, log, left::killed);
  const std::string said = text_of(at_first_error(run.things(), {}));
  EXPECT_THAT(said, HasSubstr("rank 1 app was in no task then, in step 2\n"));
  EXPECT_THAT(said, testing::ContainsRegex("rank 1 waits for all at answers_test.cpp:[0-9]+, "
                                           "since 900 ns\n"));
  EXPECT_THAT(said, testing::ContainsRegex(
                        "its program had borrowed x \\(mut\\) at answers_test.cpp:[0-9]+\n"));
  EXPECT_THAT(said, HasSubstr("a signal names no datum; ask for one by NAME@error"));
}

TEST(numbers, stand_beside_words_in_json_and_in_place_of_them_in_csv) {
  answer said;
  said.tables = {
      {"t",
       {"what", "time", "bytes", "share", "some"},
       {{"a", say_time(69'268'123), say_bytes(1'500), say_share(647, 1'000), say_count(1'234)},
        {"b", "-", say_bytes(2), say_share(1, 4), "never"}},
       {}}};
  EXPECT_EQ(render(said, style::csv, {}, 10),
            "what,time (ns),bytes (B),share (%),some\n"
            "a,69268123,1500,64.7,\"1,234\"\n"
            "b,,2,25,never\n");
  const std::string json = render(said, style::json, {}, 10);
  EXPECT_THAT(json, HasSubstr("[\"a\", \"69.268 ms\", \"1.5 kB\", \"64.7 %\", \"1,234\"]"));
  EXPECT_THAT(json, HasSubstr("\"units\": [\"\", \"ns\", \"B\", \"%\", \"\"]"));
  EXPECT_THAT(json, HasSubstr("[null, 69268123, 1500, 64.7, null]"));
  EXPECT_THAT(json, HasSubstr("[null, null, 2, 25, null]"));
}

TEST(colours, mark_the_code_of_a_mistake_and_what_to_do_and_leave_the_columns_where_they_are) {
  answer said;
  said.sentences = {"rank 0 reports deed[D401] deadlock", "help: insert it", "nothing of note"};
  said.tables = {{"ranks", {"rank", "time"}, {{"0", "1 ns"}, {"1", "2 ns"}}}};
  const std::string coloured = render(said, style::coloured, {}, 1);
  EXPECT_EQ(coloured,
            "rank 0 reports \x1b[1;31mdeed[D401]\x1b[0m deadlock\n"
            "\x1b[1;32mhelp:\x1b[0m insert it\n"
            "nothing of note\n"
            "\n"
            "\x1b[1mranks\x1b[0m\n"
            "\x1b[2m  rank  time\x1b[0m\n"
            "     0  1 ns\n"
            "\x1b[2m  ... and 1 more; --limit shows them\x1b[0m\n");
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), ""),
            render(said, style::text, {}, 1));
}

TEST(tables, have_no_line_for_a_head_without_names) {
  answer said;
  said.sentences = {"x at 1 ns"};
  said.tables = {{"", {"", ""}, {{"owner", "rank 1"}}}};
  EXPECT_EQ(render(said, style::text, {}, 10), "x at 1 ns\n\n  owner  rank 1\n");
  EXPECT_EQ(render(said, style::coloured, {}, 10), "x at 1 ns\n\n  owner  rank 1\n");
}

TEST(tables, keep_their_columns_where_a_text_has_several_lines) {
  answer said;
  said.tables = {{"", {"what", "n"}, {{"one\n  two", "1"}, {"three", "20"}}}};
  EXPECT_EQ(render(said, style::text, {}, 10),
            "  what   n\n"
            "  one     1\n"
            "    two\n"
            "  three  20\n");
}

TEST(tables, stand_to_the_right_where_all_of_a_column_are_numbers) {
  answer said;
  said.tables = {{"", {"result", "n"}, {{"2 findings", "1"}, {"proved", "not known"}}}};
  EXPECT_EQ(render(said, style::text, {}, 10),
            "  result      n\n"
            "  2 findings          1\n"
            "  proved      not known\n");
  said.tables[0].rows.clear();
  EXPECT_EQ(render(said, style::text, {}, 10), "nothing was found\n");
}

TEST(glossary, explains_every_state_and_stands_in_the_documentation) {
  const std::string page = [] {
    std::ifstream in(std::string(TESTS) + "/../../docs/trace.md");
    return std::string(std::istreambuf_iterator<char>(in), {});
  }();
  ASSERT_FALSE(page.empty());
  for (std::uint8_t state = 0; state < 6; ++state)
    EXPECT_NE(meaning_of(state_name(state)), "") << state_name(state);
  for (const char* const part :
       {"fetch wait", "idle, dependency", "idle, no task", "barrier", "collective call",
        "request wait", "comparing clocks", "scheduling", "program", "overhead", "blocked",
        "not started yet", "after its last record", "not recorded"})
    EXPECT_THAT(page,
                HasSubstr("| " + std::string(part) + " | " + std::string(meaning_of(part)) + " |"));
  EXPECT_EQ(meaning_of("gemm"), "");
}

TEST(slice, knows_what_it_is_a_part_of) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.tiles = 8;
  static_cast<void>(generate(options));
  const run all(options.path);
  const model whole(all);
  const time_range range{all.end() / 4, all.end() / 2};
  const std::string part = folder.path() + "/part.deed";
  slice(all, part, {range, {}});
  const run cut(part);
  const model of_cut(cut);
  ASSERT_TRUE(sliced_to(cut));
  EXPECT_EQ(sliced_to(cut)->from, range.from);
  EXPECT_EQ(shares(of_cut, {}).wall, range.to - range.from);
  EXPECT_THAT(text_of(info(of_cut)), HasSubstr("a slice of a run, from "));
  EXPECT_FALSE(sliced_to(all));
  // A task that was over before the range, or begins behind it, has no share.
  const auto before = shares(whole, range), after = shares(of_cut, {});
  for (const auto& [what, time] : after.sums) {
    const auto same = std::ranges::find(before.sums, what, [](const auto& s) { return s.first; });
    if (what == "gemm" || what == "trsm") {
      ASSERT_NE(same, before.sums.end());
      EXPECT_LE(time, same->second) << what;
    }
  }
}

TEST(repair, is_remembered_and_does_not_count_what_it_left) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.ranks = 2;
  options.inject = {{"cut", 1}};
  static_cast<void>(generate(options));
  EXPECT_THAT(text_of(info(model(run(options.path)))), HasSubstr("cut off or damaged since"));
  std::ofstream(options.path + "/rank-000001/metadata", std::ios::trunc).flush();
  const repairs done = repair(options.path, false);
  EXPECT_EQ(done.left.size(), 1u);
  for (const std::string& each : done.done) EXPECT_THAT(each, Not(HasSubstr("left as it is")));
  if (!done.done.empty()) {
    EXPECT_THAT(text_of(info(model(run(options.path)))), HasSubstr("repaired: " + done.done[0]));
  }
}

TEST(stop, is_told_before_those_that_fell_silent) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  log.add(500, 0, app, record::phase_push, {1, 0});
  log.add(2'000, 1, app, record::stop_run, {74, log.rank(1).text("the disk is full\nof tables")});
  log.add(100'000, 1, app, record::phase_push, {1, 0});
  const opened run(folder, log, left::killed);
  const model& m = run.things();
  const std::string stop =
      "2.0 us: rank 1 stops the run on purpose, with exit code 74: the disk is full\n";
  const std::vector<answer> answers{info(m), breakdown(m, {}), waits(m, {}), at_first_error(m, {})};
  for (const answer& each : answers) {
    EXPECT_THAT(text_of(each), HasSubstr(stop + "rank 0 (last record at 500 ns) did not close"));
    EXPECT_EQ(each.findings, &each == &answers[2]) << "waits has 1 for what did not end well";
  }
  EXPECT_THAT(text_of(say_check(m, {})),
              HasSubstr("that is no proof: the run ended early, " + stop));
  EXPECT_THAT(text_of(info(m)), HasSubstr("not closed, after rank 1 had stopped the run"));
  EXPECT_THAT(text_of(info(m)), HasSubstr("not closed, after it had stopped the run"));
}

TEST(exception_of_the_program, has_no_code) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.add(1'000, 0, app, record::error,
          {0, none, none, nobody, 0, 0, none, log.rank(0).text("no such lattice")});
  const opened run(folder, log, left::killed);
  EXPECT_THAT(text_of(info(run.things())),
              HasSubstr("not closed, after an exception of the program"));
  EXPECT_EQ(text_of(at_first_error(run.things(), {})),
            "1.0 us: rank 0: an exception leaves the program: no such lattice\n");
}

TEST(error, is_described_without_what_it_does_not_say) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.add(1'000, 0, app, record::error, {807, none, 0, nobody, 0, 0, none, none});
  const opened run(folder, log);
  for (std::uint32_t i = 0; i < run.events().events().size(); ++i)
    if (run.events().events().what(i) == record::error) {
      const std::string said = text_of(describe_event(run.things(), i));
      EXPECT_THAT(said, Not(HasSubstr("expected")));
      EXPECT_THAT(said, Not(HasSubstr("backtrace")));
      EXPECT_THAT(said, HasSubstr("code"));
    }
  EXPECT_THAT(text_of(at_first_error(run.things(), {})), HasSubstr("the error names no datum"));
}

/// A task aborts on rank 1, while one of rank 0 runs and another one waits.
TEST(crash, is_of_the_task_that_its_thread_was_in) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  auto& rank = log.rank(1);
  for (std::uint32_t h : {0u, 1u})
    rank.handle_registered({.handle = h, .name = h == 0 ? "x" : "y", .bytes = 8});
  const auto codelet = rank.codelet("bad", deed::place::current());
  const auto line = rank.location(deed::place::current());
  log.add(500, 1, app, record::task_submit, {7, codelet, 1, 0, line, 2});
  log.add(501, 1, app, record::task_access, {7, 0, 0, write_it, 3, 4});
  log.add(502, 1, app, record::task_access, {7, 1, 1, read_it, 2, 2});
  log.add(900, 1, worker, record::task_begin, {6, codelet});
  log.add(950, 1, worker, record::task_end, {6, 0});
  log.add(1'000, 0, worker, record::task_begin, {5, codelet});
  log.add(1'000, 1, worker, record::task_begin, {7, codelet});
  log.add(2'000, 1, worker, record::fatal_signal, {6, none});
  const opened run(folder, log, left::killed);
  const std::string said = text_of(at_first_error(run.things(), {}));
  EXPECT_THAT(said, testing::ContainsRegex("in bad#7 on rank 1 w00, which began at 1.0 us; codelet "
                                           "`bad` at answers_test.cpp:[0-9]+; inserted at "
                                           "answers_test.cpp:[0-9]+"));
  EXPECT_THAT(said, HasSubstr("who owned its data then: x@error, y@error"));
  EXPECT_THAT(said, HasSubstr("v3 \u2192 v4"));
  EXPECT_THAT(said, Not(HasSubstr("names no datum")));
  EXPECT_THAT(text_of(at_first_error(run.things(), 0)), HasSubstr("in bad#7 on rank 1 w00"));
}

/// `crash(int)` was called by a function that its file does not name.
TEST(crash, names_the_functions_that_it_was_in) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  const std::uint32_t frames = log.rank(0).backtrace("prog+0x12 (_Z5crashi+0x2)\nlibc.so.6+0x7f");
  const std::uint32_t called = log.rank(0).backtrace("0x0");
  log.add(1'000, 0, worker, record::fatal_signal, {11, frames});
  log.add(2'000, 0, app, record::fatal_signal, {11, called});
  log.add(3'000, 0, app, record::error, {401, none, 0, nobody, 0, 0, called + 1, none});
  const opened run(folder, log, left::killed);
  const model& m = run.things();
  const std::string lines =
      "  backtrace, the innermost function first\n  crash(int) in prog+0x12\n  libc.so.6+0x7f\n";
  const answer who = at_first_error(m, {});
  EXPECT_THAT(text_of(who), HasSubstr(lines));
  EXPECT_THAT(text_of(who), HasSubstr("rank 0 was ended by SIGSEGV"));
  EXPECT_THAT(render(who, style::json, {}, 10),
              HasSubstr("\"backtrace\": [\"crash(int) in prog+0x12\", \"libc.so.6+0x7f\"],"));
  std::string inspected;
  for (std::uint32_t i = 0; i < run.events().events().size(); ++i)
    inspected += text_of(describe_event(m, i));
  EXPECT_THAT(inspected, HasSubstr(lines));
  EXPECT_THAT(inspected, HasSubstr("no code, at 0x0"));
  const answer printed = print(m, {"fatal_signal", "error"}, {}, 100, false);
  EXPECT_THAT(text_of(printed), HasSubstr("crash(int) in prog+0x12\n"));
  EXPECT_EQ(printed.tables[0].rows.size(), 3u) << "one of each event";
  EXPECT_THAT(printed.backtrace, testing::ElementsAre("crash(int) in prog+0x12", "libc.so.6+0x7f"));
  EXPECT_THAT(render(print(m, {"text"}, {}, 100, false), style::json, {}, 10),
              Not(HasSubstr("backtrace")));
}

TEST(crash, says_where_its_backtrace_may_be_cut) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  std::string all = "prog+0x1";
  for (int i = 0; i < 22; ++i) all += "\nprog+0x1";
  const std::uint32_t whole = log.rank(0).backtrace(all);
  const std::uint32_t cut = log.rank(0).backtrace(all + "\nprog+0x2");
  log.add(1'000, 0, worker, record::fatal_signal, {11, cut});
  log.add(2'000, 0, app, record::fatal_signal, {11, whole});
  const opened run(folder, log, left::killed);
  const auto text_at = [&](std::int64_t from) {
    return text_of(at_first_error(run.things(), {}, time_range{from, 9'000}));
  };
  EXPECT_THAT(text_at(0), HasSubstr("there may be more: no more than 24 functions are recorded"));
  EXPECT_THAT(text_at(1'500), Not(HasSubstr("more")));
  EXPECT_THAT(text_of(print(run.things(), {"fatal_signal"}, {}, 100)),
              testing::ContainsRegex("prog\\+0x2\n +no more than 24 functions are recorded"));
}

TEST(print, says_that_it_found_nothing) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.add(1'000, 0, worker, record::state, {fetch_wait, 0, 0});
  const opened run(folder, log);
  EXPECT_EQ(text_of(print(run.things(), {"error"}, {}, 10)),
            "no event of these records was found\n");
  EXPECT_EQ(text_of(print(run.things(), {}, time_range{2, 3}, 10)),
            "no event was found in this part\n");
}

TEST(say_event, has_words_for_what_happened_to_a_copy) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  for (const int rank : {0, 1}) log.rank(rank).codelet("work", deed::place::current());
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
  log.add(500, 0, app, record::task_submit, {9, 0, 0, 0, 0, 0});
  log.add(1'000, 0, app, record::cache_lookup, {0, 1, 1, 1, 9});
  log.add(1'100, 1, app, record::xfer_post, {send, 0, 1, 0, 0, 8, 3, 0, 9});
  log.add(1'200, 0, app, record::cache_drop, {0, 1, 1, 0, 9});
  const opened run(folder, log);
  const std::string said = text_of(history(run.things(), 0));
  EXPECT_THAT(said, HasSubstr("rank 0 looked for x v1 at rank 1: it has had no copy\n"));
  EXPECT_THAT(said, HasSubstr("rank 1 posted the send of x v1 to rank 0, 8 B, for work#9\n"));
  EXPECT_THAT(said, HasSubstr("rank 0 dropped x v1: a write by work#9\n"));
}

TEST(say_frames, takes_any_text) {
  EXPECT_THAT(say_frames(""), testing::IsEmpty());
  EXPECT_THAT(say_frames("\n(+ (\n+)("), testing::ElementsAre("", "(+ (", "+)("));
  EXPECT_THAT(say_frames("p+0x1 (main+0x2)"), testing::ElementsAre("main in p+0x1"));
  EXPECT_THAT(say_frames("p+0x1 (_Zbroken+0x2)"), testing::ElementsAre("_Zbroken in p+0x1"));
  EXPECT_EQ(say_frames(std::string(1'000, '\n')).size(), 64u);
}

/// Each part names the one before twice, or is read twice: 2^60 of them.
TEST(say_frames, leaves_a_name_that_would_fill_the_memory_as_it_is) {
  std::string again = "_Z1f1AIiiE", nested = "_ZN1Acv";
  for (char digit = '0'; digit <= '9'; ++digit)
    again += std::string("S_IS") + digit + "_S" + digit + "_E";
  for (char letter = 'A'; letter <= 'Z'; ++letter)
    again += std::string("S_IS") + letter + "_S" + letter + "_E";
  for (int i = 0; i < 60; ++i) nested += "T_I";
  nested += "i" + std::string(60, 'E') + "Ev";
  for (const std::string& name : {again, nested})
    EXPECT_THAT(say_frames("p+0x1 (" + name + "+0x2)"), testing::ElementsAre(name + " in p+0x1"));
  EXPECT_THAT(say_frames("p+0x1 (_ZNSt6vectorISt4pairIiSsESaIS1_EE9push_backERKS1_+0x2)"),
              testing::ElementsAre(HasSubstr("vector<std::pair<int, ")));
}

TEST(transfer, is_described_with_whom_it_was_for_where_that_is_not_recorded) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
  log.add(1'500, 0, app, record::xfer_post, {receive, 0, 1, 1, 0, 8, 3, 0, 9});
  log.add(2'000, 1, app, record::ledger_step, {1, 0, 0, none, 0, 0, none});
  const opened run(folder, log);
  ASSERT_EQ(run.things().transfers().size(), 1u);
  EXPECT_THAT(
      text_of(describe_transfer(run.things(), 0)),
      HasSubstr("It was asked for by task 9 of rank 0, of which nothing else is recorded."));
  for (std::uint32_t i = 0; i < run.events().events().size(); ++i)
    EXPECT_THAT(text_of(describe_event(run.things(), i)), Not(HasSubstr("4294967295")));
}

}  // namespace
