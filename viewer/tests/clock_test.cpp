// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/clock/clock_fit.hpp"
#include "analysis/clock/time_errors.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/read/outline.hpp"
#include "scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace {

using namespace deed::viewer;

void change_metadata(const std::string& path, int rank, const std::string& what,
                     const std::string& by) {
  const std::string file = path + "/rank-00000" + std::to_string(rank) + "/metadata";
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  ASSERT_TRUE(std::regex_search(text, std::regex(what)));
  std::ofstream(file) << std::regex_replace(text, std::regex(what), by);
}

/// A generated run whose metadata say that each rank was recorded by a clock of its machine.
std::string real_run(const std::string& path) {
  generator_options options;
  options.path = path;
  options.tiles = 10;
  generate(options);
  for (int rank = 0; rank < options.ranks; ++rank)
    change_metadata(path, rank, "clock_kind = \"virtual\"", "clock_kind = \"tsc\"");
  return path;
}

/// What the ranks' clocks would have said: rank 1 is 3 ms ahead, rank 2 is 70 us late, rank 3
/// drifts.
std::vector<clock_shift> wrong_by(const run& right) {
  const std::int64_t middle = right.origin() + right.end() / 2;
  return {{1, middle, -3'000'000, 0}, {2, middle, 70'000, 0}, {3, middle, 0, -100e-6}};
}

std::uint64_t early_in(const std::string& path, const std::vector<clock_shift>& clocks) {
  const run events(path, clocks);
  return fit_clocks(model(events), clock_correction::messages).all_early();
}

TEST(clocks, of_one_machine_are_left_alone) {
  const scratch_folder folder;
  const std::string path = real_run(folder.path() + "/run.deed");
  const run events(path);
  const model known(events);
  const clock_fit fit = fit_clocks(known, clock_correction::messages);
  EXPECT_EQ(fit.all_early(), 0u);
  EXPECT_GT(fit.messages, 50u);
  for (std::size_t rank = 0; rank < fit.shifts.size(); ++rank) {
    ASSERT_NE(fit.errors[rank], never);
    EXPECT_LE(std::abs(fit.shifts[rank].ahead), fit.errors[rank]) << "rank " << rank;
  }
}

TEST(clocks, are_found_by_the_messages_between_them) {
  const scratch_folder folder;
  const std::string path = real_run(folder.path() + "/run.deed");
  const run right(path);
  const auto wrong = wrong_by(right);
  EXPECT_GT(early_in(path, wrong), 0u);
  const run shifted(path, wrong);
  const model known(shifted);
  const clock_fit fit = fit_clocks(known, clock_correction::messages);
  EXPECT_NEAR(static_cast<double>(fit.shifts[1].ahead - fit.shifts[2].ahead), 3'070'000,
              static_cast<double>(fit.errors[1] + fit.errors[2]));
  EXPECT_NEAR(static_cast<double>(fit.shifts[1].ahead), 3'000'000,
              static_cast<double>(fit.errors[1]));
  EXPECT_NEAR(static_cast<double>(fit.shifts[2].ahead), -70'000,
              static_cast<double>(fit.errors[2]));
  // Taken from what was shifted: as before, within the error.
  std::vector<clock_shift> both = wrong;
  for (clock_shift& each : both)
    each.ahead += fit.shifts[static_cast<std::size_t>(each.rank)].ahead;
  EXPECT_EQ(early_in(path, both), 0u);
  const std::string said = render(info(known), style::text, {}, 100);
  EXPECT_THAT(said, testing::HasSubstr("arrive before"));
  const std::size_t advice = said.find("--clock ");
  ASSERT_NE(advice, std::string::npos);
  EXPECT_EQ(said.find("--clock ", advice + 1), std::string::npos) << "one is enough:\n" << said;
}

std::vector<std::int64_t> errors_of(const run& events) {
  const model known(events);
  std::vector<std::int64_t> errors;
  for (int rank = 0; rank < known.ranks(); ++rank) errors.push_back(known.clock_errors().of(rank));
  return errors;
}

/// What a window says beside each rank, and draws at the ends of transfers.
TEST(clocks, are_wrong_by_no_more_than_is_said) {
  const scratch_folder folder;
  const std::string path = real_run(folder.path() + "/run.deed");
  const run right(path);
  EXPECT_EQ(errors_of(right), std::vector<std::int64_t>(4)) << "of one machine";
  const auto wrong = wrong_by(right);
  const run shifted(path, wrong);
  const std::vector<std::int64_t> errors = errors_of(shifted);
  ASSERT_EQ(errors.size(), 4u);
  EXPECT_EQ(errors[0], 0) << "the measure";
  EXPECT_GE(errors[1], 3'000'000);
  EXPECT_LT(errors[1], 4'000'000);
  EXPECT_GE(errors[2], 70'000);
  EXPECT_LT(errors[2], 500'000);
}

std::string text_of(const answer& said) { return render(said, style::text, {}, 100); }

/// A figure would be that of the clocks.
TEST(clocks, that_are_further_apart_than_messages_take_leave_no_time_of_them) {
  const scratch_folder folder;
  const std::string path = real_run(folder.path() + "/run.deed");
  const run right(path), shifted(path, wrong_by(right));
  for (const run* each : {&right, &shifted}) {
    const model known(*each);
    const auto to_first = std::ranges::find_if(known.transfers(), [](const transfer& x) {
      return x.src == 0 && x.dst == 1 && x.left() != never && x.done_receive != never;
    });
    ASSERT_NE(to_first, known.transfers().end());
    const auto index = static_cast<std::uint32_t>(to_first - known.transfers().begin());
    const auto says = [&](const answer& said, const char* what) {
      return text_of(said).find(what) != std::string::npos;
    };
    const bool wrong = each == &shifted;
    constexpr const char* clocks = "may be 3.";
    EXPECT_EQ(says(comm_matrix(known), "not known"), wrong);
    EXPECT_EQ(says(comm_matrix(known), clocks), wrong);
    EXPECT_EQ(says(comm_square(known, traffic_of::time), "not known"), wrong);
    EXPECT_EQ(says(comm_square(known, traffic_of::time), clocks), wrong);
    EXPECT_EQ(says(say_critical_path(known), clocks), wrong);
    EXPECT_EQ(says(describe_transfer(known, index), clocks), wrong);
    EXPECT_EQ(says(describe_transfer(known, index), "not known"), wrong);
    EXPECT_NE(says(describe_transfer(known, index), "since it left"), wrong);
  }
}

/// What is not known of their clocks is not known of both alike.
TEST(clocks, of_ranks_that_are_both_wrong_are_as_far_apart_as_they_differ) {
  const scratch_folder folder;
  const std::string path = real_run(folder.path() + "/run.deed");
  const run right(path);
  const std::int64_t middle = right.origin() + right.end() / 2;
  const run shifted(path, {{1, middle, -3'000'000, 0}, {2, middle, -3'000'000, 0}});
  const model known(shifted);
  EXPECT_GE(known.clock_errors().of(1), 3'000'000);
  EXPECT_GE(known.clock_errors().of(2), 3'000'000);
  EXPECT_LT(known.clock_errors().between(1, 2), 1'000'000);
}

TEST(clocks, of_virtual_ranks_are_one) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  generate(options);
  const run events(options.path);
  EXPECT_EQ(errors_of(events), std::vector<std::int64_t>(4));
}

TEST(clocks, that_are_shifted_move_all_events_of_a_rank_by_what_was_said) {
  const scratch_folder folder;
  const std::string path = real_run(folder.path() + "/run.deed");
  const run right(path);
  const std::int64_t at = right.origin();
  const run shifted(path, {{1, at, -5'000'000, 0}, {2, at, 0, 0.001}});
  const auto last_of = [](const run& of, int rank) {
    return of.origin() + of.ranks()[static_cast<std::size_t>(rank)].last;
  };
  EXPECT_EQ(last_of(shifted, 0), last_of(right, 0));
  EXPECT_EQ(last_of(shifted, 1), last_of(right, 1) + 5'000'000);
  const double ran = static_cast<double>(last_of(right, 2) - at);
  EXPECT_NEAR(static_cast<double>(last_of(shifted, 2) - at), ran * 0.999, 2);
}

/// A clock that is moved back, behind the epoch, gives nothing up.
TEST(clocks, that_are_shifted_make_no_ring) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  generator_options options;
  options.path = path;
  options.inject = {{"drift", 2}};
  generate(options);
  const run as_recorded(path);
  for (const auto by : {clock_correction::sync, clock_correction::messages}) {
    const run right(path, fit_clocks(model(as_recorded), by).shifts);
    EXPECT_THAT(right.incomplete(), testing::IsEmpty());
    EXPECT_EQ(right.known_from(), 0);
  }
}

TEST(clocks, give_one_time_to_equal_stamps_of_a_rank) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  generator_options options;
  options.path = path;
  options.events = 3'000;
  options.inject = {{"drift", 3}};
  generate(options);
  const run events(path);
  const model known(events);
  for (const transfer& x : known.transfers()) {
    const std::uint32_t writer = known.writer(x.handle, x.version);
    if (writer == none || known.tasks()[writer].rank != x.src || x.start == never) continue;
    EXPECT_GE(x.start, known.tasks()[writer].end) << known.handle_name(x.handle);
  }
}

std::string printed(const run& of) {
  return render(print(model(of), {}, {}, ~std::size_t{0}, true), style::csv, {}, ~std::size_t{0});
}

TEST(clocks, of_one_machine_are_that_of_its_lowest_rank) {
  const scratch_folder folder;
  const std::string path = real_run(folder.path() + "/run.deed"), one = folder.path() + "/one.deed";
  const std::string right = printed(run(path));
  const std::int64_t ended = outline_of(path).end;
  slice(run(path), one, {{}, {1}});
  const std::string right_alone = printed(run(one));
  // As each rank measures it: five millionths of a long time, and another beginning.
  change_metadata(path, 1, "freq = 1000000000;", "freq = 1000005000;");
  change_metadata(path, 1, "offset = ([0-9]+);", "offset = 150000;");
  change_metadata(path, 2, "freq = 1000000000;", "freq = 999991000;");
  EXPECT_EQ(printed(run(path)), right);
  EXPECT_EQ(outline_of(path).end, ended);
  const run events(path);
  const std::string said = render(info(model(events)), style::text, {}, 100);
  EXPECT_THAT(said, testing::HasSubstr("all ranks are of one machine and read one clock"));
  EXPECT_THAT(said, testing::Not(testing::HasSubstr("clocks, as ranks measured them")));
  for (const auto by : {clock_correction::sync, clock_correction::sync_and_messages})
    for (const clock_shift& each : fit_clocks(model(events), by).shifts) EXPECT_EQ(each.ahead, 0);
  // Nobody knows by which clock a rank counts that was not collected.
  const std::string some = folder.path() + "/some.deed";
  std::filesystem::copy(path, some, std::filesystem::copy_options::recursive);
  std::filesystem::remove_all(some + "/rank-000002");
  EXPECT_THAT(render(info(model(run(some))), style::text, {}, 100),
              testing::Not(testing::HasSubstr("one machine")));
  // The measure may stay behind.
  std::filesystem::remove_all(one);
  slice(events, one, {{}, {1}});
  EXPECT_EQ(printed(run(one)), right_alone);
}

TEST(clocks, of_other_machines_and_of_other_kinds_are_their_own) {
  const scratch_folder folder;
  const std::string path = real_run(folder.path() + "/run.deed");
  const std::int64_t last = run(path).ranks()[1].last;
  change_metadata(path, 1, "offset = ([0-9]+);", "offset = 150000;");
  change_metadata(path, 1, "boot_id = \"", "boot_id = \"another-");
  EXPECT_EQ(run(path).ranks()[1].last, last + 150'000);
  EXPECT_THAT(render(info(model(run(path))), style::text, {}, 100),
              testing::Not(testing::HasSubstr("one machine")));
  change_metadata(path, 1, "boot_id = \"another-", "boot_id = \"");
  EXPECT_EQ(run(path).ranks()[1].last, last);
  change_metadata(path, 1, "clock_kind = \"tsc\"", "clock_kind = \"realtime\"");
  EXPECT_EQ(run(path).ranks()[1].last, last + 150'000);
  // No measurement is as wrong.
  change_metadata(path, 1, "clock_kind = \"realtime\"", "clock_kind = \"tsc\"");
  change_metadata(path, 1, "freq = 1000000000;", "freq = 1100000000;");
  EXPECT_NE(run(path).ranks()[1].last, last);
}

TEST(clocks, that_are_virtual_are_never_shifted) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  generate(options);
  const run events(options.path);
  const clock_fit fit = fit_clocks(model(events), clock_correction::messages);
  for (const clock_shift& each : fit.shifts) {
    EXPECT_EQ(each.ahead, 0);
    EXPECT_EQ(each.rate, 0);
  }
  EXPECT_THAT(render(info(model(events)), style::text, {}, 100),
              testing::Not(testing::HasSubstr("clocks, by their messages")));
}

}  // namespace
