// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/query/query.hpp"
#include "analysis/read/outline.hpp"
#include "analysis/read/slice_moments.hpp"
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
#include <optional>
#include <string>
#include <utility>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;
using testing::Not;

/// As its ranks would have recorded it as processes, each on a machine of its own, rank 1 4 us
/// late.
void make_real(const std::string& path) {
  for (const char* const rank : {"rank-000000", "rank-000001"}) {
    const std::filesystem::path file = std::filesystem::path(path) / rank / "metadata";
    std::ifstream in(file);
    std::string text(std::istreambuf_iterator<char>(in), {});
    in.close();
    const auto change = [&](const std::string& was, const std::string& is) {
      ASSERT_NE(text.find(was), std::string::npos) << was;
      text.replace(text.find(was), was.size(), is);
    };
    change("clock_kind = \"virtual\"", "clock_kind = \"tsc\"");
    change("boot_id = \"", "boot_id = \"" + std::string(rank));
    if (rank == std::string("rank-000001")) change("offset = 0;", "offset = 4000;");
    std::ofstream(file) << text;
  }
}

/// Rank 1 records from 4 us on, and a datum ends after 90 us.
std::string two_ranks(const scratch_folder& folder) {
  const std::string path = folder.path() + "/run.deed";
  event_log log(path, 2, 1, 1);
  for (const int rank : {0, 1}) {
    const auto number = static_cast<std::uint64_t>(rank);
    log.add(1'000, rank, app, record::task_submit, {number, 0, number, 0, 0, 0});
    log.add(2'000, rank, worker, record::task_begin, {number, 0});
    log.add(20'000, rank, worker, record::task_end, {number, 0});
  }
  log.add(90'000, 0, app, record::handle_unregister, {0, 0});
  log.close();
  make_real(path);
  return path;
}

TEST(slice, ends_where_it_was_cut) {
  const scratch_folder folder;
  const std::string part = folder.path() + "/part.deed";
  const run all(two_ranks(folder));
  ASSERT_EQ(all.end(), 90'000);
  slice(all, part, {time_range{2'000, 12'000}, {}});
  const run cut(part);
  ASSERT_GT(cut.events().back().time, 12'000) << "definitions are whole";
  EXPECT_EQ(cut.end(), 12'000);
  EXPECT_EQ(outline_of(part).end, 12'000);
  const model of(cut);
  EXPECT_THAT(text_of(info(of)), HasSubstr(", 10.0 us, "));
  EXPECT_THAT(text_of(info(outline_of(part))), HasSubstr(", 10.0 us, "));
  for (const rank_info& each : cut.ranks()) EXPECT_LE(each.last, 12'000);
}

TEST(slice, says_that_what_lies_outside_of_it_is_not_recorded) {
  const scratch_folder folder;
  const std::string part = folder.path() + "/part.deed";
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.tiles = 6;
  generate(options);
  const run all(options.path);
  const time_range range{all.end() / 4, all.end() / 2};
  slice(all, part, {range, {}});
  const run cut(part);
  const model of(cut);
  const time_range before{0, range.from - 1}, after{range.to + 1, all.end()};
  const std::string ends = "not recorded: the slice ends at " + say_time(range.to),
                    begins = "not recorded: the slice begins at " + say_time(range.from);
  for (const auto& [outside, said] : {std::pair{before, begins}, std::pair{after, ends}}) {
    EXPECT_EQ(text_of(breakdown(of, outside)), said + "\n");
    EXPECT_EQ(text_of(say_critical_path(of, outside)), said + "\n");
    EXPECT_EQ(text_of(waits(of, {}, outside)), said + "\n");
    EXPECT_EQ(text_of(waits(of, outside.from)), said + "\n");
    EXPECT_EQ(text_of(state(of, outside.from)), said + "\n");
    EXPECT_EQ(text_of(who_owned(of, 0, outside.from)), said + "\n");
  }
  // What reaches over it is answered for what is in it.
  EXPECT_EQ(shares(of, time_range{0, all.end()}).wall, range.to - range.from);
  EXPECT_THAT(text_of(state(of, range.to)), Not(HasSubstr("not recorded")));
}

TEST(slice, of_which_the_moments_are_damaged_is_read) {
  using moments = std::map<std::string, std::string>;
  const auto turned = slice_moments_in(moments{{"slice_from", "2000"}, {"slice_to", "1000"}});
  EXPECT_EQ(turned.from, 2'000);
  EXPECT_EQ(turned.to, 2'000);
  const auto early = slice_moments_in(moments{{"slice_from", "-9223372036854775808"}});
  EXPECT_EQ(early.from, std::nullopt);
}

TEST(slice, has_nothing_of_a_rank_before_it_begins) {
  const scratch_folder folder;
  const std::string part = folder.path() + "/part.deed";
  const run all(two_ranks(folder));
  slice(all, part, {time_range{6'000, 12'000}, {}});
  const run cut(part);
  for (const answer& each : {info(outline_of(part)), info(model(cut))})
    for (const auto& row : each.tables.front().rows) {
      ASSERT_EQ(each.tables.front().columns[6], "from");
      EXPECT_GE(row[6].number(), 6'000) << row[6];
      EXPECT_GE(row[7].number(), row[6].number());
    }
}

/// The task that wrote last is in the files, and is none of the slice.
TEST(slice, counts_no_tasks_and_no_codelets_of_before_it) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
  const std::uint64_t early = log.rank(0).codelet("early", deed::place::current()),
                      late = log.rank(0).codelet("late", deed::place::current());
  for (const std::uint64_t number : {1u, 2u}) {
    const std::uint64_t codelet = number == 1 ? early : late;
    const auto at = static_cast<std::int64_t>(number * 10'000);
    log.add(at, 0, app, record::task_submit, {number, codelet, 0, 0, 0, 1});
    log.add(at, 0, app, record::task_access, {number, 0, 0, write_it, number - 1, number});
    log.add(at + 1'000, 0, worker, record::task_begin, {number, codelet});
    log.add(at + 4'000, 0, worker, record::task_end, {number, 0});
  }
  log.add(40'000, 0, worker, record::state, {2, 0, 0});
  const opened all(folder, log);
  const std::string part = folder.path() + "/part.deed";
  slice(all.events(), part, {time_range{16'000, 30'000}, {}});
  const run cut(part);
  const model of(cut);
  ASSERT_EQ(of.tasks().size(), 2u) << "who wrote x v1 is known";
  const answer said = info(of);
  EXPECT_THAT(text_of(said), HasSubstr("1 task, 1 finished; "));
  const auto codelets = std::ranges::find(said.tables, "codelets", &table::title);
  ASSERT_NE(codelets, said.tables.end());
  ASSERT_EQ(codelets->rows.size(), 1u);
  EXPECT_EQ(codelets->rows[0][0], "late");
  EXPECT_EQ(codelets->rows[0][2], "1");
  EXPECT_THAT(text_of(info(all.things())), HasSubstr("2 tasks, 2 finished; "));
}

TEST(slice, of_some_ranks_keeps_the_times_of_the_run) {
  const scratch_folder folder;
  const std::string one = folder.path() + "/one.deed", again = folder.path() + "/again.deed";
  const run all(two_ranks(folder));
  slice(all, one, {{}, {1}});
  EXPECT_EQ(run(one).origin(), all.origin());
  EXPECT_EQ(outline_of(one).origin, all.origin());
  const run cut(one);
  EXPECT_EQ(model(cut).tasks().front().begin, 6'000);
  slice(cut, again, {time_range{6'000, 12'000}, {1}});
  repair(again, false);
  const run twice(again);
  EXPECT_EQ(twice.origin(), all.origin());
  EXPECT_EQ(outline_of(again).end, 12'000);
  ASSERT_TRUE(sliced_to(twice));
  EXPECT_EQ(sliced_to(twice)->from, 6'000);
}

/// Rank 1 says nothing after 30 us, rank 0 goes on to 100 us.
void write_two_ends(event_log& log) {
  for (const auto& [rank, last] : {std::pair{0, 100'000}, std::pair{1, 30'000}}) {
    log.add(1'000, rank, app, record::task_submit, {1, 0, 1, 0, 0, 0});
    log.add(2'000, rank, worker, record::task_begin, {1, 0});
    log.add(last, rank, worker, record::task_end, {1, 0});
  }
}

TEST(slice, of_a_killed_run_says_which_of_its_ranks_did_not_close) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_two_ends(log);
  const opened killed(folder, log, left::killed);
  const std::string part = folder.path() + "/part.deed", again = folder.path() + "/again.deed";
  slice(killed.events(), part, {time_range{1'000, 60'000}, {}});
  slice(run(part), again, {time_range{1'000, 60'000}, {}});
  for (const std::string& each : {part, again}) {
    const run cut(each);
    const model of(cut);
    EXPECT_TRUE(cut.ranks()[0].goes_on && cut.ranks()[0].ended);
    EXPECT_FALSE(cut.ranks()[1].goes_on || cut.ranks()[1].ended);
    EXPECT_THAT(caveats(of), testing::Contains(HasSubstr("rank 1 (last record at 30.0 us)")));
    EXPECT_THAT(text_of(info(of)), HasSubstr("goes on after the slice"));
    const std::string outline = text_of(info(outline_of(each)));
    EXPECT_THAT(outline, HasSubstr("goes on after the slice"));
    EXPECT_THAT(outline, HasSubstr("not closed"));
    EXPECT_THAT(outline, Not(HasSubstr("  closed"))) << "of neither";
  }
}

TEST(slice, has_tasks_that_go_on_behind_it_and_tasks_that_never_ended) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  for (const int rank : {0, 1}) {
    log.add(1'000, rank, app, record::task_submit,
            {1, 0, static_cast<std::uint64_t>(rank), 0, 0, 0});
    log.add(2'000, rank, worker, record::task_begin, {1, 0});
  }
  log.add(100'000, 0, worker, record::task_end, {1, 0});
  const opened killed(folder, log, left::killed);
  const std::string part = folder.path() + "/part.deed";
  slice(killed.events(), part, {time_range{1'000, 60'000}, {}});
  const answer said = stats(model(run(part)), {});
  EXPECT_THAT(text_of(said), HasSubstr("1 task goes on after the slice, and is in no row"));
  EXPECT_THAT(text_of(said), HasSubstr("1 task began and did not end"));
  EXPECT_EQ(said.tables.back().rows.size(), 1u);
}

TEST(slice, that_has_the_end_of_a_rank_says_that_it_closed) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  write_two_ends(log);
  const opened whole(folder, log);
  const std::string part = folder.path() + "/part.deed";
  slice(whole.events(), part, {time_range{1'000, 60'000}, {}});
  const run cut(part);
  EXPECT_TRUE(cut.ranks()[0].goes_on);
  EXPECT_TRUE(cut.ranks()[1].ended && !cut.ranks()[1].goes_on);
}

TEST(words, of_records_are_found_and_said) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  log.add(1'000, 1, app, record::clock_sync, {0, 900, 20'000, 0});
  log.add(2'000, 0, app, record::stop_run, {74, log.rank(0).text("no room")});
  log.add(3'000, 0, app, record::handle_unregister, {7, 0});
  const opened run(folder, log);
  const model& of = run.things();
  EXPECT_EQ(of.stops().size(), 1u);
  EXPECT_EQ(find(of, "error"), of.stops());
  EXPECT_EQ(find(of, "stop_run"), of.stops());
  const auto said = [&](const char* name) {
    const auto found = find(of, name);
    return found.empty() ? std::string() : say_event(of, run.events().events()[found.front()]);
  };
  EXPECT_EQ(said("clock_sync"),
            "rank 1 compared its clock with that of rank 0, in 20.0 us there and back");
  EXPECT_EQ(said("handle_unregister"), "rank 0: #7 ends");
}

}  // namespace
