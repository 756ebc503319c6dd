// SPDX-License-Identifier: MIT
// Data from their registration to their end, of one owner and of each rank.
#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/query/moments.hpp"
#include "analysis/query/query.hpp"
#include "analysis/say/sentence.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using namespace deed::viewer;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

void write_writer(event_log& log, int rank, std::uint64_t number, std::uint64_t version,
                  std::int64_t begin, std::int64_t end) {
  log.add(500, rank, app, record::task_submit, {number, 0, 0, 0, 0, 1});
  log.add(begin, rank, app, record::task_access, {number, 0, 0, write_it, version, version + 1});
  log.add(begin, rank, app, record::task_begin, {number, 0});
  log.add(end, rank, app, record::task_end, {number, 0});
}

TEST(datum_per_rank, has_a_version_on_each_rank_and_no_stale_copy) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  for (const int rank : {0, 1})
    log.rank(rank).handle_registered(
        {.handle = 0, .name = "mine", .bytes = 24, .home_rank = deed::trace::every_rank});
  write_writer(log, 0, 0, 0, 1'000, 2'000);
  write_writer(log, 0, 1, 1, 3'000, 4'000);
  write_writer(log, 1, 0, 0, 5'000, 6'000);
  const opened run(folder, log);
  const auto said = [&](std::int64_t when) { return text_of(who_owned(run.things(), 0, when)); };
  EXPECT_THAT(said(1'500), HasSubstr("v0 on every rank"));
  EXPECT_THAT(said(4'500), HasSubstr("v0 on rank 1; v2 on rank 0"));
  EXPECT_THAT(said(6'500), HasSubstr("v1 on rank 1; v2 on rank 0"));
  EXPECT_THAT(said(4'500), ContainsRegex("valid copies +ranks 0, 1\n"));
  EXPECT_THAT(said(6'500), ContainsRegex("stale copies +none"));
  EXPECT_EQ(state_at(run.things(), 0, 6'500).writer, run.things().find_task(1, 0)) << "the last";
}

/// Each rank has one, and its program calls for versions of its own: rank 0 at 2 and 4 us, rank 1
/// at 5 us for what a message should bring and never does.
class own_writes : public testing::Test {
 protected:
  own_writes() {
    for (const int rank : {0, 1})
      log.rank(rank).handle_registered(
          {.handle = 0, .name = "total", .bytes = 24, .home_rank = deed::trace::every_rank});
    calls_for(0, 1, 2'000);
    calls_for(0, 2, 4'000);
    calls_for(1, 1, 5'000);
    constexpr std::uint64_t as_message = 4;
    log.add(5'000, 1, app, record::xfer_post, {receive, 0, 1, 0, 0, 24, 7, as_message, nobody});
    log.add(9'000, 0, app, record::phase_push, {1, 0});
  }
  void calls_for(int rank, std::uint64_t version, std::int64_t when) {
    constexpr std::uint64_t write = 6;
    log.add(when, rank, app, record::ledger_step, {nobody, write, 0, 0, none, version, none});
  }
  scratch_folder folder;
  event_log log{folder.path() + "/run.deed", 2, 0, 1};
};

TEST_F(own_writes, of_a_program_count_on_its_rank) {
  const opened run(folder, log);
  const auto said = [&](std::int64_t when) { return text_of(who_owned(run.things(), 0, when)); };
  EXPECT_THAT(said(1'500), HasSubstr("v0 on every rank"));
  EXPECT_THAT(said(3'000), HasSubstr("v0 on rank 1; v1 on rank 0"));
  EXPECT_THAT(said(4'500), HasSubstr("v0 on rank 1; v2 on rank 0"));
  EXPECT_THAT(said(4'500),
              ContainsRegex("last writer +the program of rank 0 at .*, called for at 4.0 us"));
  EXPECT_THAT(text_of(who_owned(run.things(), 0, 4'500, 1)),
              HasSubstr("nobody so far: it has the value with which it was registered"));
}

TEST_F(own_writes, are_none_of_what_a_message_should_bring) {
  const opened run(folder, log);
  EXPECT_THAT(text_of(who_owned(run.things(), 0, 8'000)), HasSubstr("v0 on rank 1; v2 on rank 0"));
}

TEST(datum_per_rank, that_all_have_unregistered_had_the_versions_of_programs) {
  constexpr std::uint64_t write = 6;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  for (const int rank : {0, 1}) {
    log.rank(rank).handle_registered(
        {.handle = 0, .name = "total", .bytes = 24, .home_rank = deed::trace::every_rank});
    log.add(2'000 + rank, rank, app, record::ledger_step, {nobody, write, 0, 0, none, 1, none});
    log.add(10'000, rank, app, record::handle_unregister, {0, 0});
  }
  log.add(20'000, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  const std::string said = text_of(who_owned(run.things(), 0, 15'000));
  EXPECT_THAT(said, ContainsRegex("version +none; v1 was the last\n"));
  EXPECT_THAT(said,
              ContainsRegex("last writer +the program of rank 1 at .*, called for at 2.0 us"));
}

/// Rank 0 owns it; its program calls for v2 while the task is at work that writes v1, and a task
/// writes v3 afterwards. Another rank says the same of its ledger.
TEST(datum_with_an_owner, has_the_versions_that_its_program_writes) {
  constexpr std::uint64_t write = 6;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 0});
  write_writer(log, 0, 0, 0, 1'000, 4'000);
  for (const int rank : {0, 1})
    log.add(2'000, rank, app, record::ledger_step, {nobody, write, 0, 0, none, 2, none});
  write_writer(log, 0, 1, 2, 6'000, 8'000);
  log.add(9'000, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  const auto said = [&](std::int64_t when) { return text_of(who_owned(run.things(), 0, when)); };
  EXPECT_THAT(said(3'000), ContainsRegex("version +v0"));
  EXPECT_THAT(said(5'000), ContainsRegex("version +v2"));
  EXPECT_THAT(said(5'000),
              ContainsRegex("last writer +the program of rank 0 at .*, called for at 2.0 us"));
  EXPECT_THAT(said(8'500), ContainsRegex("version +v3"));
  EXPECT_EQ(state_at(run.things(), 0, 8'500).writer, run.things().find_task(0, 1));
}

/// Of virtual ranks all of it has one time: cause before effect, whichever rank recorded it.
TEST(history, has_what_happens_at_one_time_by_its_causes) {
  constexpr std::uint64_t writes = 1, reads = 0, of_task = 0;
  constexpr std::int64_t now = 2'000;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  log.rank(1).handle_registered({.handle = 0, .name = "field", .bytes = 24, .home_rank = 1});
  const auto run_at_once = [&](int rank, std::uint64_t task, std::uint64_t mode,
                               std::uint64_t version) {
    log.add(now, rank, app, record::task_begin, {task, 0});
    log.add(now, rank, app, record::task_end, {task, 0});
    log.add(now, rank, app, record::task_submit,
            {task, 0, static_cast<std::uint64_t>(rank), 0, 0, 1});
    log.add(now, rank, app, record::task_access,
            {task, 0, 0, mode, mode == reads ? version : 0, version});
  };
  run_at_once(0, 2, reads, 1);
  log.add(now, 0, app, record::xfer_post, {receive, 0, 1, 1, 0, 24, 0, of_task, 2});
  log.add(now, 0, net, record::xfer_start, {0, 1, 1, 0, receive, 0});
  log.add(now, 0, net, record::xfer_done, {0, 1, 1, 0, receive, 0});
  log.add(now, 0, net, record::cache_insert, {0, 1, 1});
  run_at_once(1, 1, writes, 1);
  log.add(now, 1, app, record::xfer_post, {send, 0, 1, 0, 0, 24, 0, of_task, 2});
  log.add(now, 1, net, record::xfer_start, {0, 1, 0, 0, send, 0});
  log.add(now, 1, net, record::xfer_done, {0, 1, 0, 0, send, 0});
  const opened run(folder, log);
  const std::string life = text_of(history(run.things(), 0));
  std::size_t at = 0;
  for (const char* const next :
       {"task#1 uses field", "rank 1 app began task#1", "rank 1 app ended task#1: v1 is there",
        "rank 1 is ready to send field v1", "field v1 leaves rank 1 for rank 0",
        "rank 0 has received field v1", "rank 0 keeps a copy of field v1",
        "rank 0 app began task#2, which reads v1", "rank 0 app ended task#2"}) {
    const std::size_t found = life.find(next);
    ASSERT_NE(found, std::string::npos) << next << "\n" << life;
    EXPECT_GT(found, at) << next << "\n" << life;
    at = std::max(at, found);
  }
}

/// What comes by a migration is no copy of what another rank owns.
/// Its versions on one rank say nothing of those on another.
TEST(history, has_what_happens_to_a_datum_per_rank_at_one_time_by_its_causes) {
  constexpr std::uint64_t user = 4, reads = 0;
  constexpr std::int64_t now = 2'000;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  for (const int rank : {0, 1})
    log.rank(rank).handle_registered(
        {.handle = 0, .name = "mine", .bytes = 24, .home_rank = deed::trace::every_rank});
  log.add(now, 1, app, record::xfer_post, {receive, 0, 1, 0, 0, 24, 7, user, none});
  log.add(now, 1, net, record::xfer_start, {0, 1, 0, 0, receive, 7});
  log.add(now, 1, net, record::xfer_done, {0, 1, 0, 0, receive, 7});
  log.add(now, 1, app, record::task_begin, {1, 0});
  log.add(now, 1, app, record::task_end, {1, 0});
  log.add(now, 1, app, record::task_submit, {1, 0, 1, 0, 0, 1});
  log.add(now, 1, app, record::task_access, {1, 0, 0, reads, 1, 1});
  log.add(now, 0, app, record::xfer_post, {send, 0, 4, 1, 0, 24, 7, user, none});
  log.add(now, 0, net, record::xfer_start, {0, 4, 1, 0, send, 7});
  log.add(now, 0, net, record::xfer_done, {0, 4, 1, 0, send, 7});
  const opened run(folder, log);
  const std::string life = text_of(history(run.things(), 0));
  const std::size_t leaves = life.find("leaves rank 0"), came = life.find("rank 1 has received"),
                    began = life.find("began");
  ASSERT_NE(leaves, std::string::npos) << life;
  EXPECT_LT(leaves, came) << life;
  EXPECT_LT(came, began) << life;
}

TEST(history, tells_an_owner_from_one_that_keeps_a_copy) {
  constexpr std::uint64_t of_task = 0, migrates = 3;
  for (const std::uint64_t reason : {of_task, migrates}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 2, 0, 1);
    log.rank(0).handle_registered({.handle = 0, .name = "field", .bytes = 24, .home_rank = 0});
    log.add(1'000, 1, app, record::xfer_post, {receive, 0, 0, 0, 0, 24, 0, reason, nobody});
    log.add(1'000, 0, app, record::xfer_post, {send, 0, 0, 1, 0, 24, 0, reason, nobody});
    log.add(2'000, 0, net, record::xfer_start, {0, 0, 1, 0, send, 0});
    log.add(3'000, 1, app, record::xfer_done, {0, 0, 0, 0, receive, 0});
    log.add(3'000, 1, app, record::cache_insert, {0, 0, 0});
    const opened run(folder, log);
    const std::string life = text_of(history(run.things(), 0));
    EXPECT_THAT(life, HasSubstr(reason == migrates
                                    ? "rank 1 has field v0 from rank 0 and owns it from now on"
                                    : "rank 1 keeps a copy of field v0 from rank 0"));
  }
}

/// As of one that many tasks without a cache of copies read. What came last before the record says
/// it, and the others, of which there are many, are not looked at.
TEST(history, tells_what_came_of_a_version_that_was_sent_again_and_again) {
  constexpr std::uint64_t of_task = 0, migrates = 3;
  constexpr int times = 200;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "field", .bytes = 24, .home_rank = 0});
  const auto is_migration = [](std::int64_t i) { return i % 50 == 7; };
  for (std::int64_t i = 0; i < times; ++i) {
    const std::uint64_t reason = is_migration(i) ? migrates : of_task;
    const auto seq = static_cast<std::uint64_t>(i);
    const std::int64_t at = 1'000 * (i + 1);
    log.add(at, 1, app, record::xfer_post, {receive, 0, 0, 0, seq, 24, 0, reason, nobody});
    log.add(at, 0, app, record::xfer_post, {send, 0, 0, 1, seq, 24, 0, reason, nobody});
    log.add(at + 200, 0, net, record::xfer_start, {0, 0, 1, seq, send, 0});
    log.add(at + 300, 1, app, record::xfer_done, {0, 0, 0, seq, receive, 0});
    log.add(at + 300, 1, app, record::cache_insert, {0, 0, 0});
  }
  const opened run(folder, log);
  const model& m = run.things();
  ASSERT_EQ(m.transfers().size(), std::size_t{times});
  std::int64_t i = 0;
  for (std::size_t index = 0; index < m.events().events().size(); ++index)
    if (const event e = m.events().events()[index]; e.what == record::cache_insert) {
      ASSERT_THAT(say_event(m, e),
                  HasSubstr(is_migration(i) ? "owns it from now on" : "keeps a copy"))
          << i;
      ++i;
    }
  EXPECT_EQ(i, times);
}

/// Rank 0 owns a datum and ends it while a task is to write it; rank 1 comes to that later.
void write_end(event_log& log) {
  log.rank(0).handle_registered({.handle = 0, .name = "field", .bytes = 24, .home_rank = 0});
  log.add(2'000, 0, app, record::handle_unregister, {0, 0});
  log.add(3'000, 1, app, record::handle_unregister, {0, 0});
  write_writer(log, 0, 0, 0, 5'000, 10'000);
  log.add(20'000, 1, app, record::task_submit, {9, 0, 0, 0, 0, 1});
}

TEST(datum, lives_until_the_last_task_of_before_its_end) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  write_end(log);
  const opened run(folder, log);
  const auto said = [&](std::int64_t when) { return text_of(who_owned(run.things(), 0, when)); };
  EXPECT_THAT(said(1'000), Not(HasSubstr("unregistered")));
  EXPECT_THAT(said(2'500), ContainsRegex("owner +rank 0"));
  EXPECT_THAT(said(2'500), HasSubstr("by rank 0, at 2.0 us; not yet by the others"));
  EXPECT_EQ(state_at(run.things(), 0, 9'000).copies[0].kind, copy_kind::owner);
  EXPECT_THAT(said(9'000), HasSubstr("by ranks 0, 1, the last at 3.0 us; tasks of before"));
  EXPECT_THAT(said(10'000), ContainsRegex("owner +none: unregistered"));
  EXPECT_THAT(said(10'000), HasSubstr("none; v1 was the last"));
  EXPECT_THAT(said(10'000), ContainsRegex("valid copies +none"));
  EXPECT_EQ(state_at(run.things(), 0, 10'000).copies[0].kind, copy_kind::absent);
}

TEST(datum, that_has_ended_is_found_by_its_end_and_does_not_move) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  write_end(log);
  const opened run(folder, log);
  EXPECT_THAT(text_of(history(run.things(), 0, {}, {})), HasSubstr("rank 1: field ends"));
  EXPECT_THAT(moments_when(run.things(), "handle:field moves"), testing::IsEmpty());
  EXPECT_EQ(moments_when(run.things(), "rank:0 held>10").size(), 1u);
  EXPECT_EQ(last_with_data(run.things()), 9'999) << "just before it ends";
  EXPECT_EQ(times_of_change(run.things(), 0, false).back(), 10'000);
}

TEST(datum, ends_behind_its_last_reader) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 0, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "field", .bytes = 24, .home_rank = 0});
  write_task(log, 0, 0, 5'000, 10'000);
  log.add(2'000, 0, app, record::handle_unregister, {0, 0});
  write_task(log, 1, 9, 20'000, 30'000);
  const opened run(folder, log);
  EXPECT_THAT(times_of_change(run.things(), 0, false), testing::Contains(10'000));
  EXPECT_TRUE(state_at(run.things(), 0, 10'000).ended);
  EXPECT_FALSE(state_at(run.things(), 0, 9'999).ended);
}

/// Rank 1 sends what it calls 0 to what rank 0 calls 1.
void write_message(event_log& log, bool comes) {
  register_two(log);
  log.add(1'000, 0, app, record::xfer_post, {receive, 1, 1, 1, 0, 24, 77, 4, nobody});
  log.add(2'000, 1, app, record::xfer_post, {send, 0, 0, 0, 0, 24, 77, 4, nobody});
  log.add(2'500, 1, net, record::xfer_start, {0, 0, 0, 0, send, 77});
  for (const int rank : {0, 1})
    for (const std::uint64_t handle : {0u, 1u})
      log.add(3'000, rank, app, record::handle_unregister, {handle, 0});
  log.add(4'000, 1, app, record::xfer_done, {0, 0, 0, 0, send, 77});
  if (comes) log.add(9'000, 0, app, record::xfer_done, {1, 1, 1, 0, receive, 77});
  log.add(20'000, 1, app, record::task_submit, {9, 0, 0, 0, 0, 1});
}

TEST(datum, lives_until_a_message_into_it_has_come) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  write_message(log, true);
  const opened run(folder, log);
  EXPECT_TRUE(state_at(run.things(), 0, 4'000).ended) << "its sender has sent it";
  EXPECT_FALSE(state_at(run.things(), 1, 8'000).ended);
  EXPECT_TRUE(state_at(run.things(), 1, 9'000).ended);
  EXPECT_EQ(state_at(run.things(), 1, 9'000).copies[0].kind, copy_kind::absent);
}

TEST(datum, does_not_end_while_a_message_into_it_is_on_its_way) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  write_message(log, false);
  const opened run(folder, log);
  EXPECT_FALSE(state_at(run.things(), 1, 20'000).ended);
}

/// As parts of what is united again: rank 1 has not come to that.
TEST(datum, that_its_owner_has_unregistered_has_no_valid_copy) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  log.add(3'000, 1, app, record::handle_unregister, {0, 0});
  log.add(9'000, 0, app, record::task_submit, {9, 0, 0, 0, 0, 1});
  const opened run(folder, log);
  EXPECT_THAT(text_of(who_owned(run.things(), 0, 9'000)),
              ContainsRegex("valid copies +none: rank 1, its owner, has unregistered it\n"));
}

TEST(datum, goes_on_where_one_rank_has_not_come_to_its_end) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  register_two(log);
  log.add(3'000, 0, app, record::handle_unregister, {0, 0});
  log.add(9'000, 1, app, record::task_submit, {9, 0, 0, 0, 0, 1});
  const opened run(folder, log);
  EXPECT_FALSE(state_at(run.things(), 0, 9'000).ended);
  EXPECT_EQ(last_with_data(run.things()), 9'000) << "the end";
}

/// Rank 1 registers it at 20 us, rank 0 at 30 us; each has its own of the other.
TEST(who_owned, says_when_a_datum_is_registered_later) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  log.add(1'000, 0, app, record::phase_push, {1, 0});
  log.flush();
  for (const int rank : {1, 0}) {
    log.set_time(rank == 1 ? 20'000 : 30'000);
    log.rank(rank).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 1});
    log.rank(rank).handle_registered(
        {.handle = 1, .name = "y", .bytes = 24, .home_rank = deed::trace::every_rank});
  }
  log.add(50'000, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  for (const std::uint32_t handle : {0u, 1u}) {
    const std::string early = text_of(who_owned(run.things(), handle, 10'000));
    EXPECT_THAT(early, ContainsRegex("owner +not registered yet"));
    EXPECT_THAT(early, ContainsRegex("version +none"));
    EXPECT_THAT(early, HasSubstr("not yet: rank 1 does at 20.0 us"));
    EXPECT_THAT(early, Not(HasSubstr("as registered")));
    EXPECT_THAT(text_of(who_owned(run.things(), handle, 20'000)), Not(HasSubstr("not yet")));
  }
}

/// Rank 0 owns it, and rank 1 gets a copy of what it was registered with.
void write_two_copies(event_log& log) {
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 0});
  log.add(5'000, 1, app, record::xfer_done, {0, 0, 0, 0, receive, 0});
  log.add(20'000, 0, app, record::phase_push, {1, 0});
}

TEST(who_owned, counts_what_the_owner_has_among_the_valid_copies) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  write_two_copies(log);
  const opened run(folder, log);
  const auto said = [&](std::int64_t when) { return text_of(who_owned(run.things(), 0, when)); };
  EXPECT_THAT(said(4'000), ContainsRegex("valid copies +rank 0 \\(owner\\)\n"));
  EXPECT_THAT(said(6'000), ContainsRegex("valid copies +ranks 0 \\(owner\\), 1\n"));
  EXPECT_EQ(state(run.things(), 6'000).tables.at(0).rows.at(0)[3], "0 (owner), 1");
}

TEST(who_owned, says_that_a_datum_has_no_value_before_it_is_written) {
  constexpr std::uint64_t add_empty = 1;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 0, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 0});
  log.add(500, 0, app, record::ledger_step, {1, add_empty, 0, 0, 0, 0, none});
  write_writer(log, 0, 0, 0, 10'000, 20'000);
  const opened run(folder, log);
  const std::string early = text_of(who_owned(run.things(), 0, 5'000));
  EXPECT_THAT(early, ContainsRegex("version +v0, without a value\n"));
  EXPECT_THAT(early, HasSubstr("nobody so far: it was registered without a value"));
  EXPECT_THAT(early, ContainsRegex("valid copies +none: it has no value yet\n"));
  EXPECT_THAT(text_of(who_owned(run.things(), 0, 20'000)),
              ContainsRegex("valid copies +rank 0 \\(owner\\)\n"));
}

TEST(who_owned, says_of_what_nobody_wrote_that_nobody_did) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 0, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 0});
  log.add(10'000, 0, app, record::handle_unregister, {0, 0});
  log.add(20'000, 0, app, record::phase_push, {1, 0});
  const opened run(folder, log);
  const std::string said = text_of(who_owned(run.things(), 0, 15'000));
  EXPECT_THAT(said, ContainsRegex("version +none; nobody wrote it\n"));
  EXPECT_THAT(said, HasSubstr("nobody: it kept the value with which it was registered"));
}

/// Registered without a value, of rank 0 or of each rank; a message brings it one at 5 us.
void write_filled_by_message(event_log& log, std::uint32_t home) {
  constexpr std::uint64_t add_empty = 1, write = 6, as_message = 4;
  for (const int rank : {0, 1}) {
    log.rank(rank).handle_registered({.handle = 0, .name = "y", .bytes = 24, .home_rank = home});
    log.add(500, rank, app, record::ledger_step, {1, add_empty, 0, 0, 0, 0, none});
  }
  log.add(1'000, 0, app, record::ledger_step, {nobody, write, 0, 0, none, 1, none});
  log.add(1'000, 0, app, record::xfer_post, {receive, 0, 1, 1, 0, 24, 7, as_message, nobody});
  log.add(2'000, 1, app, record::xfer_post, {send, 0, 0, 0, 0, 24, 7, as_message, nobody});
  log.add(2'500, 1, net, record::xfer_start, {0, 0, 0, 0, send, 7});
  log.add(3'000, 1, app, record::xfer_done, {0, 0, 0, 0, send, 7});
  log.add(5'000, 0, app, record::xfer_done, {0, 1, 1, 0, receive, 7});
  for (const int rank : {0, 1}) log.add(10'000, rank, app, record::handle_unregister, {0, 0});
  log.add(20'000, 0, app, record::phase_push, {1, 0});
}

TEST(who_owned, knows_what_a_message_brought) {
  for (const std::uint32_t home : {std::uint32_t{0}, deed::trace::every_rank}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 2, 0, 1);
    write_filled_by_message(log, home);
    const opened run(folder, log);
    const std::string early = text_of(who_owned(run.things(), 0, 6'000));
    EXPECT_THAT(early, Not(HasSubstr("without a value")));
    EXPECT_THAT(early, Not(HasSubstr("no value yet")));
    EXPECT_THAT(early, HasSubstr("v1"));
    EXPECT_THAT(early, HasSubstr("which rank 0 had received at 5.0 us"));
    EXPECT_THAT(early, ContainsRegex("stale copies +none"));
    const std::string late = text_of(who_owned(run.things(), 0, 15'000));
    EXPECT_THAT(late, ContainsRegex("version +none; v1 was the last\n"));
    EXPECT_THAT(late, HasSubstr("which rank 0 had received at 5.0 us"));
  }
}

/// An exception leaves the program, and what the program holds ends on its way. What the program
/// ends itself is a step of the ledger, too.
TEST(who_owned, answers_for_the_moment_at_which_an_insertion_was_refused) {
  constexpr std::uint64_t remove = 2;
  for (const bool by_program : {false, true}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 1, 0, 1);
    log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 0});
    write_writer(log, 0, 0, 0, 1'000, 2'000);
    log.add(10'000, 0, app, record::handle_unregister, {0, 0});
    if (by_program) log.add(10'000, 0, app, record::ledger_step, {9, remove, 0, 0, none, 0, none});
    log.add(11'000, 0, app, record::error, {208, 0, none, nobody, 0, 0, none, none});
    const opened run(folder, log);
    const std::string said = text_of(at_first_error(run.things(), {}));
    EXPECT_THAT(said, ContainsRegex(by_program ? "owner +none: unregistered" : "owner +rank 0"));
    EXPECT_THAT(said, HasSubstr(by_program ? "x at 11.0 us" : "x at 10.0 us"));
    EXPECT_EQ(said.find("data end while an exception leaves") != std::string::npos, !by_program);
  }
}

/// A program is ahead of its tasks: the version that its error names was not written yet.
TEST(who_owned, says_which_version_an_error_is_about_and_which_was_written) {
  for (const std::uint64_t version : {1u, 3u}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 1, 0, 1);
    log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 0});
    write_writer(log, 0, 0, 0, 1'000, 2'000);
    log.add(11'000, 0, app, record::error,
            {209, 0, version, nobody, 0, 0, none, log.rank(0).text("deed[D209] twice")});
    const opened run(folder, log);
    const std::string versions =
        "the error is about v3 of x, to which its program had come; what had been written by then "
        "is v1";
    const std::string said = text_of(at_first_error(run.things(), {}));
    EXPECT_EQ(said.find(versions) != std::string::npos, version == 3) << said;
  }
}

/// The borrow that is in the way ends while the exception leaves the program, before data do. On
/// virtual ranks all is at one time.
TEST(who_owned, names_the_borrow_that_a_second_one_met) {
  constexpr std::uint64_t mut = 1, application = 0;
  for (const std::int64_t step : {0, 1'000}) {
    const scratch_folder folder;
    event_log log(folder.path() + "/run.deed", 1, 0, 1);
    log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 0});
    log.add(5'000, 0, app, record::borrow, {0, mut, application, none});
    log.add(5'000 + step, 0, app, record::release, {0, mut, application, none});
    log.add(5'000 + 2 * step, 0, app, record::handle_unregister, {0, 0});
    log.add(5'000 + 3 * step, 0, app, record::error, {307, 0, none, nobody, 0, 0, none, none});
    const opened run(folder, log);
    const std::string said = text_of(at_first_error(run.things(), {}));
    EXPECT_THAT(said, ContainsRegex("lent to +the program of rank 0, for writing, at "));
    const auto row = state_at_first_error(run.things()).tables.at(0).rows.at(0);
    EXPECT_EQ(row[1], "rank 0") << "the same moment";
    EXPECT_EQ(row[6], "1");
    EXPECT_THAT(said, ContainsRegex("owner +rank 0"));
  }
}

TEST(slice, does_not_bring_back_what_has_ended) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 0, 1);
  write_end(log);
  const opened whole(folder, log);
  const auto part = [&](time_range range) {
    const std::string path = folder.path() + "/" + std::to_string(range.from) + ".deed";
    slice(whole.events(), path, {range, {}});
    const run events(path);
    const model things(events);
    return text_of(who_owned(things, 0, range.to));
  };
  EXPECT_THAT(part({12'000, 15'000}), ContainsRegex("owner +none: unregistered"));
  EXPECT_THAT(part({6'000, 7'000}), ContainsRegex("owner +rank 0")) << "its task still runs";
  EXPECT_THAT(part({100, 1'000}), Not(HasSubstr("unregistered"))) << "it ends behind it";
}

/// The step that says whether it was registered with a value lies before the slice.
TEST(slice, does_not_say_whether_a_datum_began_with_a_value) {
  constexpr std::uint64_t add_empty = 1;
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 0, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24, .home_rank = 0});
  log.add(500, 0, app, record::ledger_step, {1, add_empty, 0, 0, 0, 0, none});
  log.add(6'000, 0, app, record::phase_push, {1, 0});
  log.add(20'000, 0, app, record::phase_push, {1, 0});
  const opened whole(folder, log);
  const std::string path = folder.path() + "/part.deed";
  slice(whole.events(), path, {time_range{5'000, 10'000}, {}});
  const run events(path);
  const std::string said = text_of(who_owned(model(events), 0, 8'000));
  EXPECT_THAT(said, ContainsRegex("last writer +nobody so far\n"));
  EXPECT_THAT(said, ContainsRegex("valid copies +not known: it may have no value yet\n"));
}

}  // namespace
