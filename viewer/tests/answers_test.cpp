// SPDX-License-Identifier: MIT
// What answers say of runs that were written by hand: each has one thing that is easy to tell
// wrong.
#include <deed/trace/recorder.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/gaps.hpp"
#include "analysis/ask/slack.hpp"
#include "analysis/ask/what_if.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/read/outline.hpp"
#include "analysis/say/answer.hpp"
#include "scratch_folder.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;
using testing::Not;

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
    const auto parts = parts_of_rank(run.things(), 0);
    EXPECT_EQ(parts.contains("scheduling"), says);
    EXPECT_EQ(parts.contains("not recorded"), !says);
    if (says) {
      EXPECT_EQ(parts.at("scheduling"), 9'000 + 9'000);
    }
  }
}

/// Rank 1 knows of a change more at the end of the first epoch.
TEST(versions, that_each_rank_counts_in_its_own_way_are_told_with_answers_that_name_them) {
  for (const bool alike : {true, false}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 2, 1, 1);
    for (const int rank : {0, 1})
      log.rank(rank)
          .open_stream(deed::trace::stream_kind::worker, 7, "w07")
          .ledger_digest(0, 1, 1, alike || rank == 0 ? 4 : 5);
    log.add(100'000, 0, app, record::phase_push, {1, 0});
    const opened run(folder, log);
    for (const answer& each : {info(run.things()), waits(run.things(), {})})
      EXPECT_EQ(text_of(each).find("each counts versions in its own way") == std::string::npos,
                alike);
  }
}

/// In a `wait()` its thread runs tasks, too; between them nobody says what it does.
TEST(breakdown, of_a_program_that_runs_tasks_says_when_it_waits) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  constexpr std::uint64_t all = 2;
  write_task(log, 1, 0, 10'000, 20'000);
  log.add(5'000, 0, app, record::wait_begin, {all, 0, 0});
  log.add(50'000, 0, app, record::wait_end, {all, 0});
  log.add(100'000, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  EXPECT_EQ(parts_of_rank(run.things(), 0).at("wait"), 35'000);
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
  EXPECT_EQ(parts_of_rank(run.things(), 0).at("fetch wait"), 98'000);
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
  EXPECT_EQ(parts_of_rank(run.things(), 0).at("fetch wait"), 96'000);
  EXPECT_EQ(wait_matrix(run.things())[0][1], 96'000);
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
  for (const auto& [what, time] : parts_of_rank(run.things(), 0)) sum += time;
  EXPECT_EQ(sum, 100'000);
  EXPECT_EQ(parts_of_rank(run.things(), 0).at("program"), 9'000);
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

TEST(slack, is_how_much_later_a_task_could_have_ended) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_three_tasks(log);
  const opened run(folder, log);
  // c ends the run, and a, for whose x it waited, is on the path to it.
  EXPECT_THAT(slack(run.things()), testing::ElementsAre(0, 250'000, 0));
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
  EXPECT_THAT(text_of(diff(timeless, model(ordered))),
              testing::AllOf(HasSubstr("the first run: virtual ranks in the order of virtual time"),
                             HasSubstr("the second run: " + warning)));
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

/// Contributions to a reduction are of one version, from each rank that makes some.
TEST(waits, of_a_reduction_have_each_rank_that_has_not_contributed) {
  constexpr std::uint64_t reduction = 5;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 3, 1, 1);
  log.rank(1).handle_registered({.handle = 0, .name = "sum", .bytes = 8, .home_rank = 1});
  for (const std::uint64_t peer : {0u, 2u})
    log.add(1'000 + static_cast<std::int64_t>(peer), 1, app, record::xfer_post,
            {receive, 0, 2, peer, 0, 8, 1, reduction, nobody});
  log.add(9'000, 1, net, record::phase_push, {1, 0});
  const opened run(folder, log);
  const answer said = waits(run.things(), 5'000);
  EXPECT_THAT(text_of(said), Not(HasSubstr("later version")));
  const auto graph = std::ranges::find(said.tables, "who waits for whom", &table::title);
  ASSERT_NE(graph, said.tables.end());
  EXPECT_EQ(graph->rows.size(), 2u);
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

}  // namespace
