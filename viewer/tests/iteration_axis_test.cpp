// SPDX-License-Identifier: MIT
// Ranks that run ahead of each other, on an axis by iteration.
#include "analysis/lod/iteration_axis.hpp"

#include "run_with_phases.hpp"
#include "scratch_folder.hpp"
#include "steps_apart.hpp"
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace deed::viewer;

struct opened {
  explicit opened(const std::string& path) : events(path), things(events), axis(things) {}
  run events;
  model things;
  iteration_axis axis;
};

TEST(iteration_axis, begins_each_iteration_at_one_place) {
  const scratch_folder folder;
  record_steps_apart(folder.path() + "/run.deed");
  const opened of(folder.path() + "/run.deed");
  ASSERT_EQ(of.axis.iterations().size(), 3U);
  EXPECT_EQ(of.axis.name(), "step");
  // Rank 0 begins them at 10, 20 and 30 us, rank 1 at 20, 40 and 60; they end at 40 and 80.
  const std::vector<std::int64_t> places{15'000, 30'000, 45'000};
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(of.axis.iterations()[i].index, static_cast<std::int64_t>(i) + 5);
    EXPECT_EQ(of.axis.iterations()[i].begin, places[i]);
    for (int rank = 0; rank < 2; ++rank) {
      const std::int64_t time = (rank + 1) * static_cast<std::int64_t>(i + 1) * 10'000;
      EXPECT_EQ(of.axis.place_of(rank, time), places[i]);
      EXPECT_EQ(of.axis.time_at(rank, places[i]), time);
    }
  }
  EXPECT_EQ(of.axis.end(), 60'000);
  EXPECT_EQ(of.axis.place_of(0, 25'000), 37'500);
  EXPECT_EQ(of.axis.place_of(1, 50'000), 37'500);
}

TEST(iteration_axis, has_the_begin_and_the_end_of_the_run_where_they_are) {
  const scratch_folder folder;
  record_steps_apart(folder.path() + "/run.deed");
  const opened of(folder.path() + "/run.deed");
  for (int rank = 0; rank < 2; ++rank)
    for (const std::int64_t at : {std::int64_t{-500}, std::int64_t{0}, of.events.end()})
      EXPECT_EQ(of.axis.place_of(rank, at), at);
  EXPECT_EQ(of.axis.times_between(30'000, 45'000).from, 20'000) << "of rank 0";
  EXPECT_EQ(of.axis.times_between(30'000, 45'000).to, 60'000) << "of rank 1";
}

TEST(iteration_axis, leaves_times_to_a_rank_that_has_none) {
  const scratch_folder folder;
  record_phases(folder.path() + "/run.deed");
  const opened of(folder.path() + "/run.deed");
  EXPECT_EQ(of.axis.name(), "step") << "solve and exchange have no numbers";
  EXPECT_EQ(of.axis.iterations().size(), 4U);
  EXPECT_EQ(of.axis.place_of(0, 52'000), 52'000) << "rank 0 alone is the average";
  EXPECT_EQ(of.axis.place_of(1, 52'345), 52'345);
}

TEST(iteration_axis, is_none_of_a_program_that_numbers_nothing) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  const std::uint64_t solve = log.rank(0).text("solve");
  log.add(10'000, 0, event_log::application, record::phase_push, {solve, 0});
  log.add(20'000, 0, event_log::application, record::phase_pop, {solve, 0});
  log.close();
  const opened of(folder.path() + "/run.deed");
  EXPECT_TRUE(of.axis.empty());
  EXPECT_EQ(of.axis.place_of(0, 1'234), 1'234);
}

/// Rank 0 begins its tasks at 15, 25 and 35 us, rank 1 at 30, 50 and 70.
TEST(iteration_axis, of_tasks_has_the_nth_of_each_rank_at_one_place) {
  const scratch_folder folder;
  record_steps_apart(folder.path() + "/run.deed");
  const run events(folder.path() + "/run.deed");
  const model things(events);
  const iteration_axis axis(things, iteration_axis::by::tasks);
  EXPECT_EQ(axis.name(), "task");
  ASSERT_EQ(axis.iterations().size(), 3U);
  for (int n = 0; n < 3; ++n) {
    const std::int64_t place = 25'000 * (n + 1);
    EXPECT_EQ(axis.iterations()[static_cast<std::size_t>(n)].begin, place);
    EXPECT_EQ(axis.place_of(0, 15'000 + n * 10'000), place);
    EXPECT_EQ(axis.place_of(1, 30'000 + n * 20'000), place);
    EXPECT_EQ(axis.time_at(1, place), 30'000 + n * 20'000);
  }
  EXPECT_EQ(axis.place_of(0, 100'000), 100'000);
}

TEST(iteration_axis, places_what_lanes_have) {
  const scratch_folder folder;
  record_steps_apart(folder.path() + "/run.deed");
  const opened of(folder.path() + "/run.deed");
  const std::vector<timeline_lane> lanes = make_timeline(of.things);
  const std::vector<timeline_lane> placed = on_axis(lanes, of.axis);
  ASSERT_EQ(placed.size(), lanes.size());
  std::vector<std::int64_t> begins;
  for (const timeline_lane& lane : placed)
    for (const track& each : lane.tracks)
      for (const track_span& span : each.spans())
        if (span.type == span_type::task) begins.push_back(span.begin);
  // Each task begins in the middle of its step.
  EXPECT_EQ(begins, (std::vector<std::int64_t>{22'500, 37'500, 52'500, 22'500, 37'500, 52'500}));
}

}  // namespace
