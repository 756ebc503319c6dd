// SPDX-License-Identifier: MIT
// What is said of one datum, task or transfer, in runs that were written by hand.
#include <deed/base/place.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/say/answer.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"
#include "scratch_folder.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;
using testing::Not;

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

/// Its receiver may look for it before it is sent, and the sender be told before it arrives.
TEST(a_transfer, has_its_times_in_their_order) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  register_two(log);
  write_transfer(log, 0, 0, nobody, {9'000, 2'000, 4'000, 12'000});
  write_transfer(log, 1, 0, nobody, {1'000, 5'000, 3'000, 8'000});
  const opened run(folder, log);
  for (const std::uint32_t i : {0u, 1u}) {
    std::vector<double> times;
    const answer said = describe_transfer(run.things(), i);
    for (const auto& row : said.tables.back().rows)
      if (row[1].in() == unit::nanoseconds) times.push_back(row[1].number());
    EXPECT_GE(times.size(), 5u);
    EXPECT_TRUE(std::ranges::is_sorted(times)) << testing::PrintToString(times);
  }
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
  EXPECT_THAT(first, HasSubstr("Its codelet is `work` at described_test.cpp:"));
  EXPECT_THAT(first, HasSubstr("It was ready at 1.5 us, and no worker had begun it."));
  EXPECT_THAT(text_of(describe_task(m, m.find_task(1, 8))),
              HasSubstr("That it was ready is not recorded; not written yet was x v1 of work#7."));
  std::vector<std::string> submitted;
  for (const event& e : run.events().events())
    if (e.what == record::task_submit) submitted.push_back(say_event(m, e));
  EXPECT_THAT(submitted, testing::Contains(HasSubstr("rank 0 inserted work#7 for rank 1")));
  EXPECT_THAT(submitted, testing::Contains(HasSubstr("rank 1 inserted work#9 for rank 0")));
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

TEST(say_event, has_whole_sentences) {
  constexpr std::uint64_t all = 2, of_handle = 1, clocks = 9, mut = 1, after_task = 1, arrived = 2;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  const auto codelet = log.rank(0).codelet("work", deed::place::current());
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
  const std::uint64_t line = log.rank(0).location(deed::place::current());
  auto add = [&, at = std::int64_t{1'000}](record what, auto... fields) mutable {
    log.add(++at, 0, app, what, {static_cast<std::uint64_t>(fields)...});
  };
  add(record::task_submit, 7, codelet, 0, 0, line, 0);
  add(record::task_ready, 7, 0, 0);
  add(record::task_ready, 7, after_task, 6);
  add(record::task_ready, 7, arrived, 3);
  add(record::task_begin, 7, codelet);
  add(record::task_end, 7, 0);
  add(record::wait_begin, all, 0, line);
  add(record::wait_begin, of_handle, 0, line);
  add(record::wait_begin, clocks, 0, none);
  add(record::borrow, 0, mut, 0, line);
  add(record::release, 0, mut, 0, line);
  const opened run(folder, log);
  std::string said;
  for (const event& e : run.events().events()) said += say_event(run.things(), e) + "\n";
  for (const char* const each :
       {"rank 0 inserted work#7 at described_test.cpp:",
        "work#7 is ready as soon as it is inserted\n", "work#7 is ready, after task 6\n",
        "work#7 is ready, after the transfer of x v3\n", "rank 0 app began work#7\n",
        "rank 0 app ended work#7\n",
        "rank 0 waits for all tasks and messages at described_test.cpp:",
        "rank 0 waits for x at described_test.cpp:", "rank 0 waits for the clock of another rank\n",
        "rank 0 lends x for writing at described_test.cpp:",
        "rank 0 takes back x, lent for writing\n"})
    EXPECT_THAT(said, HasSubstr(each));
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

TEST(history, says_changes_of_the_ledger_in_words) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
  constexpr auto change = [](deed::trace::ledger_change what) {
    return static_cast<std::uint64_t>(what);
  };
  log.add(2'000, 0, app, record::ledger_step,
          {5, change(deed::trace::ledger_change::migrate), 0, 0, 1, 0, none});
  log.add(3'000, 0, app, record::ledger_step,
          {deed::trace::no_step, change(deed::trace::ledger_change::write), 0, 0, none, 1, none});
  const opened run(folder, log);
  const std::string said = text_of(history(run.things(), 0));
  EXPECT_THAT(said, HasSubstr("change 5 of the ledger: migration of x, rank 1"));
  EXPECT_THAT(said, HasSubstr("rank 0: a change that it alone makes: write x v1"));
}

TEST(print, says_of_waits_of_the_session_that_they_are_in_no_line) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 0, 1);
  const auto begin = [&](std::int64_t when, deed::trace::meeting_kind kind) {
    log.add(when, 0, app, record::wait_begin,
            {static_cast<std::uint64_t>(deed::trace::wait_kind::barrier),
             static_cast<std::uint64_t>(kind), none});
  };
  begin(1'000, deed::trace::meeting_kind::start);
  begin(2'000, deed::trace::meeting_kind::barrier);
  const opened run(folder, log);
  const answer said = print(run.things(), {"wait_begin"}, {}, 9);
  EXPECT_THAT(said.tables[0].rows[0][3], HasSubstr("loc=the session itself"));
  EXPECT_THAT(said.tables[0].rows[1][3], HasSubstr("loc=a line that was not recorded"));
}

}  // namespace
