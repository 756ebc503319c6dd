// SPDX-License-Identifier: MIT
// What is said of two runs that differ.
#include <deed/trace/recorder.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/diff_failures.hpp"
#include "analysis/ask/same_tasks.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/generate/generate.hpp"
#include "scratch_folder.hpp"
#include "small_run.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace {

using namespace deed::viewer;
using testing::HasSubstr;

TEST(diff, tells_a_run_that_stopped_from_one_that_did_not) {
  const scratch_folder a, b;
  const auto write = [](event_log& log, bool fails) {
    log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
    for (std::uint64_t task = 1; task <= 3; ++task) {
      log.add(1'000, 0, app, record::task_submit, {task, 0, 0, 0, 0, 1});
      log.add(1'000, 0, app, record::task_access, {task, 0, 0, write_it, task - 1, task});
      if (fails && task > 1) continue;
      const auto begin = static_cast<std::int64_t>(10'000 * task);
      log.add(begin, 0, worker, record::task_begin, {task, 0});
      log.add(begin + 5'000, 0, worker, record::task_end, {task, 0});
    }
  };
  event_log whole(a.path() + "/run.deed", 1, 1, 1), broken(b.path() + "/run.deed", 1, 1, 1);
  write(whole, false);
  write(broken, true);
  const opened one(a, whole), other(b, broken);
  const answer said = diff(one.things(), other.things());
  EXPECT_TRUE(said.findings);
  EXPECT_THAT(text_of(said), HasSubstr("the first run takes 35.0 us; 3 of 3 tasks ended"));
  EXPECT_THAT(text_of(said), HasSubstr("the second run takes 15.0 us; 1 of 3 tasks ended"));
  EXPECT_THAT(text_of(said), HasSubstr("2 tasks ended in one of the runs only"));
  EXPECT_FALSE(diff(one.things(), one.things()).findings);
}

TEST(diff, compares_times_of_tasks_of_one_codelet) {
  const scratch_folder a, b;
  const auto write = [](event_log& log, const char* first) {
    for (const char* const name : {first, "same"})
      log.rank(0).codelet(name, deed::place::current());
    log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
    for (std::uint64_t task = 0; task < 2; ++task) {
      const auto begin = static_cast<std::int64_t>(10'000 * (task + 1));
      log.add(1'000, 0, app, record::task_submit, {task, task, 0, 0, 0, 1});
      log.add(1'000, 0, app, record::task_access, {task, 0, 0, write_it, task, task + 1});
      log.add(begin, 0, worker, record::task_begin, {task, task});
      log.add(begin + (first[0] == 's' ? 9'000 : 4'000), 0, worker, record::task_end, {task, 0});
    }
  };
  event_log slow(a.path() + "/run.deed", 1, 1, 1), mix(b.path() + "/run.deed", 1, 1, 1);
  write(slow, "slow");
  write(mix, "mix");
  const opened one(a, slow), other(b, mix);
  const answer said = diff(one.things(), other.things());
  const auto changed =
      std::ranges::find(said.tables, "tasks whose time changed most", &table::title);
  ASSERT_NE(changed, said.tables.end());
  ASSERT_EQ(changed->rows.size(), 1u);
  EXPECT_EQ(std::string(changed->rows[0][0]), "same#1");
}

/// Two tasks in order; in the second run, a third that throws and that nobody else inserts.
opened run_with_a_failure(const scratch_folder& into, bool fails, std::uint64_t others) {
  event_log log(into.path() + "/run.deed", 2, 1, 1);
  for (const int rank : {0, 1}) log.rank(rank).codelet("work", deed::place::current());
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 8});
  const std::uint64_t last = fails ? 3 + others : 2;
  for (std::uint64_t task = 1; task <= last; ++task) {
    const auto begin = static_cast<std::int64_t>(10'000 * task);
    log.add(1'000, 1, app, record::task_submit, {task, 0, 1, 0, 0, 1});
    log.add(1'000, 1, app, record::task_access, {task, 0, 0, write_it, task - 1, task});
    if (task > 3) continue;
    log.add(begin, 1, worker, record::task_begin, {task, 0});
    if (task < 3) log.add(begin + 5'000, 1, worker, record::task_end, {task, 0});
  }
  if (fails)
    log.add(33'000, 1, worker, record::error,
            {404, none, none, 3, 0, 0, none, log.rank(1).text("deed[D404] a body threw\nmore")});
  return {into, log};
}

TEST(diff, names_the_task_that_failed_before_it_says_anything_else) {
  const scratch_folder a, b;
  const opened right = run_with_a_failure(a, false, 0), wrong = run_with_a_failure(b, true, 0);
  const std::string why = "rank 1 reports deed[D404] a body threw";
  const answer said = diff(right.things(), wrong.things());
  EXPECT_EQ(said.sentences.at(0),
            "the second run failed at 33.0 us, in work#3 on rank 1, which "
            "writes x v3: " +
                why);
  EXPECT_THAT(said.sentences, testing::Contains("in the second run only: work#3 on rank 1, which "
                                                "writes x v3"));
  const auto alone = std::ranges::find(said.tables, "tasks in one run only", &table::title);
  ASSERT_NE(alone, said.tables.end());
  EXPECT_THAT(alone->rows,
              testing::ElementsAre(testing::ElementsAre("second", "work#3", "1", "x v3", why)));
  EXPECT_THAT(diff(wrong.things(), right.things()).sentences.at(0),
              testing::StartsWith("the first run failed at 33.0 us, in work#3"));
  const answer timeless =
      diff(right.things(), wrong.things(), same_tasks(right.things(), wrong.things()), false);
  EXPECT_THAT(timeless.sentences.at(0), testing::StartsWith("the second run failed, in work#3"));
  const answer same = diff(wrong.things(), wrong.things());
  EXPECT_FALSE(same.findings) << "the same failed in both: " << text_of(same);
}

/// A row of a table asks how its task ended: of many rows and failures, too.
TEST(failures, are_found_by_their_task) {
  const scratch_folder a;
  const opened run = run_with_a_failure(a, true, 2);
  const model& of = run.things();
  const failures failed(of, {});
  ASSERT_EQ(failed.all().size(), 1u);
  const std::uint32_t task = failed.all().front().task;
  EXPECT_EQ(of.task_name(task), "work#3");
  EXPECT_EQ(failed.in_task(task), &failed.all().front());
  const std::uint32_t other = task == 0 ? 1 : 0;
  EXPECT_EQ(failed.in_task(other), nullptr);
  EXPECT_EQ(how_it_ended(of, task, failed), "rank 1 reports deed[D404] a body threw");
  EXPECT_EQ(how_it_ended(of, other, failed), "ended");
}

TEST(diff, names_a_hundred_tasks_of_one_run_and_counts_the_others) {
  const scratch_folder a, b;
  const opened few = run_with_a_failure(a, false, 0), many = run_with_a_failure(b, true, 150);
  const answer said = diff(few.things(), many.things());
  const auto alone = std::ranges::find(said.tables, "tasks in one run only", &table::title);
  ASSERT_NE(alone, said.tables.end());
  ASSERT_EQ(alone->rows.size(), 101u);
  EXPECT_EQ(alone->rows.front().at(1), "work#3") << "it failed";
  EXPECT_EQ(alone->rows.at(1).at(4), "not begun");
  EXPECT_EQ(alone->rows.back().at(1), "and 51 tasks more");
  EXPECT_THAT(said.sentences, testing::Contains(testing::EndsWith("and 150 tasks more")));
}

/// A run, and the same with a fault.
struct faulty_twins {
  faulty_twins(generator_options options, const std::string& fault) {
    options.path = folder.path() + "/a.deed";
    generate(options);
    a.emplace(options.path);
    options.path = folder.path() + "/b.deed";
    options.inject = {{fault, 1}};
    faults = generate(options).faults;
    b.emplace(options.path);
  }
  scratch_folder folder;
  decltype(truth::faults) faults;
  std::optional<run> a, b;
};

TEST(diff, finds_nothing_between_a_run_and_its_copy) {
  const scratch_folder folder;
  const run a(small_run(folder.path() + "/a.deed")), b(small_run(folder.path() + "/b.deed"));
  const answer same = diff(model(a), model(b));
  const std::string said = render(same, style::text, {}, 10);
  EXPECT_FALSE(same.findings) << said;
  for (const table& each : same.tables)
    EXPECT_EQ(said.find(each.title) != std::string::npos, !each.rows.empty()) << said;
}

TEST(diff, finds_a_transfer_that_one_run_made_twice) {
  generator_options options;
  options.tiles = 6;
  options.ranks = 2;
  const faulty_twins twins(options, "dup_flush");
  ASSERT_EQ(twins.faults.size(), 1u);
  const auto& fault = twins.faults[0];
  const model in_a(*twins.a), in_b(*twins.b);
  const answer said = diff(in_a, in_b);
  EXPECT_TRUE(said.findings);
  const std::string name = in_b.handle_name(fault.handle) + " v" + std::to_string(fault.version) +
                           ", rank " + std::to_string(fault.src) + " to rank " +
                           std::to_string(fault.dst);
  EXPECT_THAT(render(said, style::text, {}, 100), testing::HasSubstr(name));
}

TEST(diff, names_the_datum_that_has_another_owner) {
  generator_options options;
  options.tiles = 8;
  options.ranks = 4;
  const faulty_twins twins(options, "two_owners");
  ASSERT_EQ(twins.faults.size(), 1u);
  const auto& fault = twins.faults[0];
  const model in_a(*twins.a), in_b(*twins.b);
  const answer said = diff(in_a, in_b);
  EXPECT_THAT(render(said, style::text, {}, 100),
              testing::HasSubstr("another owner: " + in_b.handle_name(fault.handle)));
  EXPECT_THAT(render(diff(in_a, in_a), style::text, {}, 100),
              testing::Not(testing::HasSubstr("owner")));
}

TEST(diff, of_a_part_compares_what_is_in_it_in_one_of_the_runs) {
  generator_options options;
  options.tiles = 6;
  options.ranks = 4;
  const faulty_twins twins(options, "dup_flush");
  ASSERT_EQ(twins.faults.size(), 1u);
  const auto& fault = twins.faults[0];
  const model in_a(*twins.a), in_b(*twins.b);
  const auto differ = [&](std::optional<time_range> range, const std::set<int>& ranks,
                          const std::string& query) {
    const part_of_both part{{in_a, range, ranks, query}, {in_b, range, ranks, query}};
    return diff(in_a, in_b, same_tasks(in_a, in_b, part), true, part);
  };
  const std::vector<repeat> sent_again = repeats(in_b, fault.handle);
  ASSERT_EQ(sent_again.size(), 1u);
  const std::int64_t first = in_b.transfers()[sent_again[0].earlier].begin(),
                     again = in_b.transfers()[sent_again[0].transfer].end();
  const std::string datum = "handle:" + in_b.handle_name(fault.handle);
  EXPECT_TRUE(differ(time_range{first, again}, {fault.dst}, datum).findings);
  EXPECT_FALSE(differ(time_range{0, first - 1}, {}, datum).findings);
  EXPECT_FALSE(differ({}, {}, "-" + datum + " record:xfer_start").findings);
  std::set<int> others{0, 1, 2, 3};
  others.erase(fault.src);
  others.erase(fault.dst);
  EXPECT_FALSE(differ({}, others, "").findings);
  const answer nothing = differ({}, {}, "handle:nobody");
  EXPECT_FALSE(nothing.findings);
  EXPECT_THAT(render(nothing, style::text, {}, 100),
              testing::HasSubstr("nothing of either run is in this part"));
}

TEST(diff, of_a_time_finds_a_task_again_that_ran_at_another_one) {
  const scratch_folder folder;
  generator_options options;
  options.tiles = 6;
  options.ranks = 2;
  options.workers = 3;
  options.path = folder.path() + "/a.deed";
  const truth known = generate(options);
  options.path = folder.path() + "/b.deed";
  options.workers = 1;
  generate(options);
  const run a(folder.path() + "/a.deed"), b(options.path);
  const model in_a(a), in_b(b);
  ASSERT_GT(b.end(), a.end() * 5 / 4) << "one worker takes longer";
  const time_range middle{a.end() / 3, a.end() / 2};
  const same_tasks found(in_a, in_b, {middle, middle});
  std::uint64_t chosen = 0, of_a = 0;
  for (std::uint32_t i = 0; i < in_a.tasks().size(); ++i) {
    const bool here = run_part(middle).has_task(in_a, i);
    of_a += here ? 1 : 0;
    if (!found.has_a(i)) {
      EXPECT_FALSE(here);
      EXPECT_EQ(found.in_b(i), none);
      continue;
    }
    ++chosen;
    EXPECT_TRUE(here || run_part(middle).has_task(in_b, found.in_b(i)));
  }
  EXPECT_GT(chosen, of_a) << "some ran at that time in the second run alone";
  EXPECT_LT(chosen, known.tasks);
  EXPECT_EQ(found.both(), chosen);
  EXPECT_EQ(found.only_a() + found.only_b(), 0u) << "both runs have all tasks";
}

}  // namespace
