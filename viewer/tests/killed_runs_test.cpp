// SPDX-License-Identifier: MIT
// What answers say of ranks that were killed, or that recorded nothing more.
#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/read/outline.hpp"
#include "analysis/say/answer.hpp"
#include "scratch_folder.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;
using testing::Not;

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
  const auto parts = parts_of_rank(run.things(), 1);
  EXPECT_EQ(parts.at("after its last record"), 99'000);
  EXPECT_FALSE(parts.contains("task"));
  EXPECT_EQ(parts_of_rank(run.things(), 1, time_range{40'000, 60'000}).at("after its last record"),
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

/// As if another process had recorded that rank, which is gone.
void set_process(const std::string& path, int rank, const std::string& pid) {
  const std::string file = path + "/rank-00000" + std::to_string(rank) + "/metadata";
  std::ifstream in(file);
  const std::string was(std::istreambuf_iterator<char>(in), {});
  std::ofstream(file) << std::regex_replace(was, std::regex("pid = [0-9]+"), "pid = " + pid);
}

/// Rank 1 was in a task, rank 0 stands at a barrier; or both were in tasks.
TEST(killed_run, of_several_processes_says_which_of_them_may_have_ended_first) {
  constexpr std::uint64_t barrier = 3;
  for (const bool waits_at_barrier : {true, false}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 2, 1, 1);
    log.rank(1).codelet("work", deed::place::current());
    log.add(500, 1, app, record::task_submit, {7, 0, 1, 0, 0, 0});
    log.add(1'000, 1, worker, record::task_begin, {7, 0});
    if (waits_at_barrier)
      log.add(2'000, 0, app, record::wait_begin, {barrier, 1, 0});
    else
      log.add(2'000, 0, worker, record::task_begin, {8, 0});
    log.add(100'000, 0, app, record::phase_push, {1, 0});
    const std::string path = opened(folder, log, left::killed).events().path();
    set_process(path, 1, "999999998");
    const run of_two(path);
    const model things(of_two);
    ASSERT_EQ(of_two.ranks()[0].is_cut() + of_two.ranks()[1].is_cut(), 2);
    const std::string wanted =
        waits_at_barrier
            ? "which of them ended first, and how, is not recorded: rank 1 is the only one that "
              "did "
              "not wait at its last record (in task work#7), and the first that records nothing "
              "more, so it may have been the first, and whoever launched the run ended the others"
            : "which of them ended first, and how, is not recorded: rank 1 is the first that "
              "records "
              "nothing more, at 1.0 us, and the others do until 100.0 us";
    for (const answer& each : {info(things), waits(things, {}), at_first_error(things, {}),
                               state(things, of_two.end(), {})})
      EXPECT_THAT(text_of(each), HasSubstr(wanted));
  }
}

/// Of two virtual ranks.
std::string left_by_its_process(const scratch_folder& folder, event_log& log) {
  log.flush();
  std::string path = folder.path() + "/killed.deed";
  std::filesystem::copy(folder.path() + "/run.deed", path,
                        std::filesystem::copy_options::recursive);
  for (const int rank : {0, 1}) set_process(path, rank, "999999999");
  return path;
}

TEST(killed_run, of_virtual_ranks_says_so) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_two_that_run(log);
  const run events(left_by_its_process(folder, log));
  const model things(events);
  for (const answer& each : {info(things), waits(things, {}), at_first_error(things, {}),
                             state(things, events.end(), {})})
    EXPECT_THAT(
        text_of(each),
        HasSubstr("all ranks are virtual, of one process, which did not close the recording: "
                  "it was killed, stopped from outside, or left by `_Exit`; the last that it "
                  "recorded, at 100.0 us: rank 1 w00 began task#8; no wait is known of rank 0 "
                  "(in task task#7), rank 1 (in task task#8)"));
  EXPECT_TRUE(waits(things, {}).findings);
}

/// What a rank calls its data and lines, and what it believes, comes last where it is left by then.
TEST(killed_run, of_virtual_ranks_says_what_happened_last) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  log.add(90'000, 0, app, record::wait_begin, {2, 0, 0});
  log.add(95'000, 1, app, record::phase_push, {1, 0});
  log.add(99'000, 1, app, record::ledger_digest, {1, 2, 3, 4});
  log.rank(1).codelet("work", deed::place::current());
  const run events(left_by_its_process(folder, log));
  const std::string said = text_of(waits(model(events), {}));
  EXPECT_THAT(said, HasSubstr("recorded, at 95.0 us: rank 1 begins "));
  EXPECT_THAT(said, HasSubstr("no wait is known of rank 1 (its program at work)\n"));
  EXPECT_THAT(said, Not(HasSubstr("digest")));
}

/// The program of rank 1 leaves the process behind its task; that of rank 0 was in one of its own.
TEST(killed_run, of_virtual_ranks_leads_a_path_to_what_is_known) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  for (const int rank : {0, 1}) log.rank(rank).codelet("work", deed::place::current());
  log.add(10'000, 0, app, record::task_submit, {7, 0, 0, 0, 0, 0});
  log.add(20'000, 0, worker, record::task_begin, {7, 0});
  log.add(10'000, 1, app, record::task_submit, {8, 0, 1, 0, 0, 0});
  log.add(30'000, 1, worker, record::task_begin, {8, 0});
  log.add(90'000, 1, worker, record::task_end, {8, 0});
  log.add(95'000, 1, app, record::phase_push, {1, 0});
  const run events(left_by_its_process(folder, log));
  const model things(events);
  const std::vector<path_step> path = critical_path(things);
  ASSERT_FALSE(path.empty());
  EXPECT_EQ(path.back().task, things.find_task(1, 8));
  EXPECT_EQ(path.back().end, 90'000);
  EXPECT_THAT(text_of(say_critical_path(things)),
              HasSubstr("work#7 on rank 0, begun at 20.0 us, did not end: the process of virtual "
                        "ranks did, and how long it ran is not known\n"));
}

/// What recorded no error was killed, and so is of interest as it was then.
TEST(killed_run, is_asked_who_owned_a_datum_at_its_end) {
  for (const left how : {left::killed, left::closed}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 2, 1, 1);
    log.rank(1).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 1});
    write_two_that_run(log);
    const opened run(folder, log, how);
    const std::string said = text_of(at_first_error(run.things(), 0));
    EXPECT_EQ(said.starts_with("x at 100.0 us\nno error was recorded: that is at its end\n"),
              how == left::killed);
    EXPECT_EQ(std::regex_search(said, std::regex("owner +rank 1")), how == left::killed) << said;
  }
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
  EXPECT_THAT(ends, HasSubstr("killed, stopped from outside, or left by `_Exit`\n"));
  EXPECT_THAT(ends, HasSubstr("still running\n"));
  EXPECT_THAT(ends, Not(HasSubstr("or still running")));
}

/// What a rank did behind its last record is not known.
TEST(killed_run, has_waits_that_are_counted_to_the_last_record_of_who_waits) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 0});
  log.add(10'000, 1, app, record::xfer_post, {receive, 0, 1, 0, 0, 8, 3, 0, 9});
  log.add(30'000, 1, app, record::phase_push, {1, 0});
  log.add(100'000, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log, left::killed);
  EXPECT_THAT(text_of(waits(run.things(), {})),
              testing::ContainsRegex("rank 1 +rank 0 +1 +20.0 us"));
}

/// Of two ranks the second has not made its folder when the first is killed. At a barrier all meet.
std::string killed_before_the_second_began(const scratch_folder& folder, bool all_met) {
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
  constexpr std::uint64_t barrier = 3;
  log.add(1'000, 0, app, record::wait_begin, {barrier, 1, 0});
  if (all_met) log.add(2'000, 0, app, record::wait_end, {barrier, 1});
  log.add(9'000, 0, app, record::phase_push, {1, 0});
  log.flush();
  std::string path = folder.path() + "/killed.deed";
  std::filesystem::copy(folder.path() + "/run.deed", path,
                        std::filesystem::copy_options::recursive);
  std::filesystem::remove_all(path + "/rank-000001");
  log.close();
  const std::string file = path + "/rank-000000/metadata";
  std::ifstream in(file);
  const std::string was(std::istreambuf_iterator<char>(in), {});
  std::ofstream(file) << std::regex_replace(was, std::regex("pid = [0-9]+"), "pid = 999999999");
  return path;
}

TEST(killed_run, tells_a_rank_that_had_not_begun_from_one_whose_files_are_lost) {
  for (const bool all_met : {false, true}) {
    const scratch_folder folder;
    const std::string path = killed_before_the_second_began(folder, all_met);
    const run one(path);
    const model things(one);
    EXPECT_THAT(one.incomplete(),
                testing::ElementsAre(all_met ? "no trace from rank 1: it ran, and its files are "
                                               "not here"
                                             : "rank 1 had not begun when the recording ends"));
    EXPECT_EQ(text_of(info(things)).find("not begun") != std::string::npos, !all_met);
    const std::string said = text_of(who_owned(things, 0, 8'000));
    EXPECT_EQ(said.find("not known") != std::string::npos, all_met) << said;
  }
}

/// Rank 1 has no folder; an error ends the barrier at which rank 0 stands, or comes later.
std::string failed_before_the_second_began(const scratch_folder& folder, bool all_met) {
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  constexpr std::uint64_t barrier = 3;
  log.add(1'000, 0, app, record::wait_begin, {barrier, 1, 0});
  log.add(2'000, 0, app, record::wait_end, {barrier, 1});
  if (all_met) log.add(2'500, 0, app, record::phase_push, {1, 0});
  const auto text = log.rank(0).text("deed[D404] deadlock: not every rank reaches `barrier`");
  log.add(3'000, 0, app, record::error, {404, none, none, nobody, 0, 0, none, text});
  log.close();
  std::filesystem::remove_all(folder.path() + "/run.deed/rank-000001");
  return folder.path() + "/run.deed";
}

TEST(failed_run, has_met_nobody_at_a_barrier_that_an_error_ended) {
  for (const bool all_met : {false, true}) {
    const scratch_folder folder;
    EXPECT_THAT(run(failed_before_the_second_began(folder, all_met)).incomplete(),
                testing::ElementsAre(all_met ? "no trace from rank 1: it ran, and its files are "
                                               "not here"
                                             : "rank 1 had not begun when the recording ends"));
  }
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

/// Who stands at a barrier waits for the one that is absent, perhaps.
TEST(killed_run, of_which_a_rank_is_absent_says_not_that_nobody_waits) {
  const scratch_folder folder;
  const run one(killed_before_the_second_began(folder, false));
  const std::string said = text_of(waits(model(one), {}));
  EXPECT_THAT(said, HasSubstr("nobody is known to wait"));
  EXPECT_THAT(said, Not(HasSubstr("nobody waits")));
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

/// Of a run that was closed and failed, too.
TEST(outline, does_not_know_whether_a_rank_without_a_folder_had_begun) {
  const scratch_folder folder;
  EXPECT_THAT(
      outline_of(failed_before_the_second_began(folder, false)).incomplete,
      testing::ElementsAre("no trace from rank 1: it had not begun, or its files are not here"));
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
  EXPECT_FALSE(parts_of_rank(things, 1).contains("after its last record"));
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

TEST(dead_rank, is_not_seen_where_all_ended) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_dead_rank(log);
  const opened run(folder, log);
  EXPECT_THAT(say_silent_ranks(run.things()), testing::IsEmpty());
  EXPECT_EQ(parts_of_rank(run.things(), 1).at("task"), 99'000);
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
                              "recording, they were killed or still run"));
  EXPECT_THAT(said, HasSubstr("not recorded: no rank said what it believed"));
  failed.add(1'000, 0, worker, record::error, {807, none, 0, 1, 0, 0, none, none});
  const opened threw(other, failed);
  const std::string of_failed = text_of(say_check(threw.things(), {}));
  EXPECT_THAT(of_failed, Not(HasSubstr("proved")));
  EXPECT_THAT(of_failed, HasSubstr("that is no proof: the run failed, 1.0 us: rank 0 reports"));
}

}  // namespace
