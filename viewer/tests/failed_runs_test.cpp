// SPDX-License-Identifier: MIT
// What answers say of runs in which tasks did not end, by crashes, errors or from outside.
#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/ask/diff_failures.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/ask/what_if.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace {

using namespace deed::viewer;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::uint64_t threw = 1, cancelled = 2;

/// Rank 0 has run a task and is in another one; a third has been cancelled, a fourth not begun.
void write_open_task(event_log& log) {
  const auto codelet = log.rank(0).codelet("work", deed::place::current());
  for (std::uint64_t task = 1; task <= 4; ++task)
    log.add(500, 0, app, record::task_submit, {task, codelet, 0, 0, 0, 1});
  log.add(1'000, 0, worker, record::task_begin, {1, codelet});
  log.add(11'000, 0, worker, record::task_end, {1, 0});
  log.add(12'000, 0, worker, record::task_begin, {2, codelet});
  log.add(12'000, 0, worker, record::task_end, {2, cancelled});
  log.add(20'000, 0, worker, record::task_begin, {3, codelet});
  log.add(50'000, 0, app, record::phase_push, {1, 0});
}

TEST(stats, name_a_task_that_did_not_end_and_count_no_cancelled_one) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  write_open_task(log);
  const opened run(folder, log, left::killed);
  const answer said = stats(run.things(), {});
  EXPECT_EQ(said.tables.at(0).rows.at(0).at(1), "1") << "the one that ran to its end";
  EXPECT_THAT(said.sentences,
              testing::Contains("1 task was cancelled, ran nothing, and is in no row"));
  EXPECT_THAT(said.sentences,
              testing::Contains("1 task began and did not end: it is in no row, but "
                                "in a table of its own"));
  EXPECT_THAT(said.sentences, testing::Contains(HasSubstr("rank 0 (last record at 50.0 us)")));
  const auto open = std::ranges::find(said.tables, "tasks that did not end", &table::title);
  ASSERT_NE(open, said.tables.end());
  EXPECT_THAT(open->rows,
              ElementsAre(ElementsAre("work#3", "rank 0 w00", "20.0 us", "30.0 us", "not ended")));
  EXPECT_EQ(stats(run.things(), time_range{0, 15'000}).tables.size(), 2u) << "it begins later";
}

/// Rank 0 counts a write of its own that rank 1 does not, as where the program guards it. Ranks
/// that come to a `wait()` say how much they count; `failed`: rank 1 threw before.
void write_other_changes(event_log& log, bool failed) {
  using deed::trace::ledger_change;
  const auto changes = [&](int rank, std::uint64_t step, ledger_change what, std::uint64_t handle,
                           std::uint64_t version) {
    log.add(static_cast<std::int64_t>(step) * 1'000, rank, app, record::ledger_step,
            {step, static_cast<std::uint64_t>(what), handle, handle, 0, version, 0});
  };
  for (const int rank : {0, 1}) {
    for (const std::uint32_t handle : {0u, 1u}) {
      log.rank(rank).handle_registered(
          {.handle = handle, .name = handle == 0 ? "x" : "y", .bytes = 24, .home_rank = 0});
      changes(rank, handle + 1, ledger_change::add, handle, 0);
    }
    if (rank == 0)
      changes(rank, 3, ledger_change::write, 0, 1);
    else
      changes(rank, 3, ledger_change::flush, 1, 0);
  }
  const auto text = log.rank(1).text("deed[D807] task `check` threw: no");
  if (failed) log.add(9'000, 1, app, record::error, {807, none, none, nobody, 0, 0, none, text});
}

TEST(check, decides_no_ledger_of_a_run_that_failed_before_ranks_compared_theirs) {
  for (const bool failed : {false, true}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 2, 1, 1);
    write_other_changes(log, failed);
    const opened run(folder, log);
    EXPECT_EQ(check(run.things(), "ledger_mismatch").size(), failed ? 0u : 1u);
    const answer said = say_check(run.things(), {});
    EXPECT_EQ(said.findings, !failed);
    EXPECT_EQ(
        text_of(said).find("not decided: the run ended before its ranks compared their ledgers") !=
            std::string::npos,
        failed);
  }
}

/// What was recorded before all ended an epoch is decided.
TEST(check, decides_what_ranks_recorded_before_all_of_them_ended_an_epoch) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  for (const std::uint64_t rank : {0u, 1u})
    log.add(500, static_cast<int>(rank), app, record::ledger_digest, {0, 1, 7 + rank});
  write_other_changes(log, true);
  const opened run(folder, log);
  EXPECT_EQ(check(run.things(), "ledgers_agree").size(), 1u);
  const answer said = say_check(run.things(), {});
  const auto result = [&](const std::string& rule) -> std::string {
    for (const auto& each : said.tables.front().rows)
      if (std::string(each[0]) == rule) return std::string(each[2]);
    return {};
  };
  EXPECT_EQ(result("ledgers_agree"), "1 finding");
  EXPECT_THAT(result("sender_holds_version"), HasSubstr("not decided"));
  EXPECT_THAT(text_of(said), HasSubstr("ranks number the same changes differently"));
}

TEST(check, does_not_prove_that_ledgers_agree_of_which_no_two_were_compared) {
  for (const std::uint64_t other : {0u, 1u}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 2, 1, 1);
    log.add(500, 0, app, record::ledger_digest, {0, 1, 7});
    log.add(600, 1, app, record::ledger_digest, {other, 1, 7});
    const opened run(folder, log);
    const answer said = say_check(run.things(), {});
    EXPECT_THAT(text_of(said),
                testing::ContainsRegex(
                    other == 0 ? "at every epoch +proved"
                               : "at every epoch +not compared: no two ranks said it of the same"));
  }
}

/// Ranks record a digest in each wait, and compare them in the 1st, 2nd, 4th, 8th of them.
TEST(check, decides_nothing_behind_the_last_wait_in_which_ranks_compared) {
  for (const std::uint64_t last : {1u, 2u}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 2, 1, 1);
    write_other_changes(log, true);
    for (const int rank : {0, 1}) log.add(9'500, rank, app, record::ledger_digest, {last, 1, 7});
    const opened run(folder, log);
    EXPECT_EQ(check(run.things(), "ledger_mismatch").size(), last == 1 ? 1u : 0u) << last;
  }
}

TEST(what_if, says_that_it_knows_only_of_tasks_that_ended) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  write_open_task(log);
  const opened run(folder, log, left::killed);
  const std::string said = text_of(what_if(run.things(), {{{"work", 0.5}}}));
  EXPECT_THAT(said, HasSubstr("rank 0 (last record at 50.0 us) did not close its recording"));
  EXPECT_THAT(said, HasSubstr("of 4 tasks 1 ended, and the times are of these alone"));
  EXPECT_THAT(said, HasSubstr("takes at least 5.0 us, without them at least 10.0 us"));
  EXPECT_EQ(say_what_if(run.things(), {{{"work", 0.5}}}),
            "of the tasks that ended, at least 5.0 us, without changes at least 10.0 us: 50.0 %");
}

TEST(what_if, gives_no_bound_where_no_task_ended) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.add(1'000, 0, worker, record::task_begin, {7, 0});
  log.add(2'000, 0, worker, record::fatal_signal, {11, none});
  const opened run(folder, log, left::killed);
  const answer said = what_if(run.things(), {});
  EXPECT_THAT(text_of(said), HasSubstr("2.0 us: rank 0 was ended by SIGSEGV"));
  EXPECT_THAT(text_of(said), HasSubstr("none of 1 task ended"));
  EXPECT_TRUE(said.tables.empty());
}

TEST(what_if, gives_no_bound_where_there_is_no_task) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.add(1'000, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  const answer said = what_if(run.things(), {});
  EXPECT_THAT(said.sentences, ElementsAre("the run has no task"));
  EXPECT_TRUE(said.tables.empty());
}

/// Of `on_exception::propagate`: v1 of x is written, the task of v2 throws, that of v3 is
/// cancelled. To rank 1 goes, in place of v2, that it failed; behind that rank 0 throws out of its
/// `wait()`.
class propagated : public testing::Test {
 protected:
  propagated() {
    for (const int rank : {0, 1}) {
      log.rank(rank).codelet("work", deed::place::current());
      log.rank(rank).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 0});
    }
    log.rank(0).handle_registered({.handle = 1, .name = "y", .bytes = 24, .home_rank = 0});
    write(0, 1, 0, 2'000, 0);
    write(1, 4, 0, 3'000, 0);
    write(0, 2, 1, 10'000, threw);
    write(0, 3, 2, 20'000, cancelled);
    log.add(1'000, 1, app, record::xfer_post, {receive, 0, 2, 0, 0, 24, 0, 0, nobody});
    log.add(1'000, 0, app, record::xfer_post, {send, 0, 2, 1, 0, 24, 0, 0, nobody});
    log.add(11'000, 0, app, record::xfer_start, {0, 2, 1, 0, send, 0});
    log.add(12'000, 1, app, record::xfer_done, {0, 2, 0, 0, receive, 0});
    log.add(12'000, 1, app, record::cache_insert, {0, 2, 0});
    const auto text = log.rank(0).text("deed[D807] task `work` threw: no");
    log.add(30'000, 0, app, record::error, {807, none, none, nobody, 0, 0, none, text});
    log.add(40'000, 0, app, record::phase_push, {1, 0});
  }
  /// Each of 500 nanoseconds, but those that were cancelled. Task 4 writes y.
  void write(std::uint64_t handle, std::uint64_t task, std::uint64_t version, std::int64_t end,
             std::uint64_t status) {
    log.add(500, 0, app, record::task_submit, {task, 0, 0, 0, 0, 1});
    log.add(500, 0, app, record::task_access, {task, 0, handle, write_it, version, version + 1});
    log.add(status == cancelled ? end : end - 500, 0, worker, record::task_begin, {task, 0});
    log.add(end, 0, worker, record::task_end, {task, status});
  }
  scratch_folder folder;
  event_log log{folder.path() + "/run.deed", 2, 1, 1};
};

TEST_F(propagated, has_no_version_of_a_task_that_threw_or_was_cancelled) {
  const opened run(folder, log);
  for (const std::int64_t when : {15'000, 25'000}) {
    const std::string said = text_of(who_owned(run.things(), 0, when));
    EXPECT_THAT(said, ContainsRegex("version +v1\n"));
    EXPECT_THAT(said, ContainsRegex("last writer +work#1 on rank 0"));
    EXPECT_THAT(said, ContainsRegex("valid copies +rank 0 \\(owner\\)\n"));
    EXPECT_THAT(said, ContainsRegex("not written +v2: work#2 on rank 0 threw at 10.0 us, and may "
                                    "have changed the value"));
  }
  EXPECT_THAT(text_of(who_owned(run.things(), 0, 25'000)), HasSubstr("; nor was any up to v3\n"));
  EXPECT_THAT(text_of(who_owned(run.things(), 0, 5'000)), Not(HasSubstr("not written")));
  EXPECT_THAT(text_of(who_owned(run.things(), 1, 25'000)), Not(HasSubstr("not written")));
  EXPECT_THAT(text_of(state(run.things(), 25'000)),
              ContainsRegex("x +rank 0 +v1; not written: v2 to v3 +0 \\(owner\\) +none"));
}

TEST_F(propagated, has_a_history_without_what_was_not_written) {
  const opened run(folder, log);
  const std::string life = text_of(history(run.things(), 0));
  EXPECT_THAT(life, HasSubstr("rank 0 w00 ended work#1: v1 is there"));
  EXPECT_THAT(life, HasSubstr("work#2 threw on rank 0 w00: v2 is not there"));
  EXPECT_THAT(life, HasSubstr("work#3 was cancelled on rank 0 w00: v3 is not there"));
  EXPECT_THAT(life, Not(HasSubstr("began work#3")));
  EXPECT_THAT(life, HasSubstr("rank 1 has received x v2 from rank 0: word that it failed"));
  EXPECT_THAT(life, HasSubstr("x v2 leaves rank 0 for rank 1: word that it failed"));
}

TEST_F(propagated, counts_as_finished_what_ended_well) {
  const opened run(folder, log);
  EXPECT_THAT(text_of(info(run.things())),
              HasSubstr("4 tasks, 2 finished, 1 threw, 1 cancelled; 2 handles"));
}

TEST_F(propagated, says_in_waits_which_tasks_never_ran) {
  const opened run(folder, log);
  EXPECT_THAT(text_of(waits(run.things(), {})),
              HasSubstr("1 task never ran, since what it needs was not written: work#2 on rank 0 "
                        "threw at 10.0 us; it is work#3 on rank 0, given up at 20.0 us\n"));
  EXPECT_THAT(text_of(waits(run.things(), {}, time_range{0, 15'000})), Not(HasSubstr("never ran")));
}

TEST_F(propagated, says_of_a_task_and_a_transfer_that_nothing_was_written) {
  const opened run(folder, log);
  const model& of = run.things();
  EXPECT_THAT(text_of(describe_task(of, of.find_task(0, 3))),
              ContainsRegex("v2 → v3, not written +work#2, rank 0, which threw"));
  EXPECT_THAT(text_of(describe_transfer(of, 0)),
              HasSubstr("It brought word that work#2 on rank 0 threw, in place of the version."));
}

TEST_F(propagated, failed_when_the_task_threw_and_not_when_a_wait_told_of_it) {
  const opened run(folder, log);
  const std::string said = text_of(at_first_error(run.things(), {}));
  EXPECT_THAT(said, StartsWith("10.0 us: work#2 threw on rank 0 w00\n"
                               "the task is work#2 on rank 0, inserted at "));
  EXPECT_THAT(said, HasSubstr("\nit was told of at 30.0 us: rank 0 reports deed[D807] task `work` "
                              "threw: no\nx at 10.0 us\n"));
  EXPECT_THAT(text_of(at_first_error(run.things(), 1)), HasSubstr("\ny at 10.0 us\n"));
  EXPECT_THAT(text_of(state_at_first_error(run.things())), StartsWith("state at 10.0 us\n"));
  EXPECT_EQ(moment_of_first_failure(run.things()).time, 10'000);
}

TEST_F(propagated, has_a_critical_path_to_the_task_that_threw) {
  log.add(22'000, 0, worker, record::task_begin, {6, 0});
  log.add(25'000, 0, worker, record::task_end, {6, 0});
  const opened run(folder, log);
  const std::string said = text_of(say_critical_path(run.things()));
  EXPECT_THAT(said, HasSubstr("it leads to work#2 on rank 0, which threw\n"));
  EXPECT_THAT(said, HasSubstr("the last record is 30.0 us later\n"));
  EXPECT_THAT(said, Not(HasSubstr("no task ended after")));
}

/// What a later task writes anew is there.
TEST_F(propagated, is_mended_by_who_writes_anew) {
  write(0, 5, 3, 35'000, 0);
  const opened run(folder, log);
  const std::string said = text_of(who_owned(run.things(), 0, 36'000));
  EXPECT_THAT(said, ContainsRegex("version +v4\n"));
  EXPECT_THAT(said, Not(HasSubstr("not written")));
}

/// As earlier versions recorded it: the error does not name its task, whose end follows.
void write_old_error(event_log& log, std::uint64_t task_of_error) {
  log.add(500, 0, app, record::task_submit, {1, 0, 0, 0, 0, 1});
  log.add(1'000, 0, worker, record::task_begin, {1, 0});
  log.add(
      2'000, 0, worker, record::error,
      {404, none, none, task_of_error, 0, 0, none, log.rank(0).text("deed[D404] a body threw")});
  log.add(2'100, 0, worker, record::task_end, {1, threw});
}

TEST(failures, count_a_task_once_whether_its_error_names_it_or_not) {
  for (const std::uint64_t named : {std::uint64_t{1}, nobody}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 1, 1, 1);
    write_old_error(log, named);
    const opened run(folder, log);
    const std::vector<failure> found = failures(run.things(), {}).all();
    ASSERT_EQ(found.size(), 1u) << named;
    EXPECT_EQ(found[0].task, run.things().find_task(0, 1));
    EXPECT_THAT(text_of(at_first_error(run.things(), {})), HasSubstr("in task#1 on rank 0 w00"));
  }
}

/// One that the program makes has no task, whatever runs meanwhile.
TEST(failures, of_the_program_are_of_no_task) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  write_old_error(log, nobody);
  log.add(1'500, 0, app, record::error, {101, none, none, nobody, 0, 0, none, none});
  const opened run(folder, log);
  const std::vector<failure> found = failures(run.things(), {}).all();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].task, none);
}

}  // namespace
