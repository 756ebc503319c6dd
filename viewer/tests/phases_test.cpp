// SPDX-License-Identifier: MIT
// What a program says of itself: phases, and values over time.
#include <deed/base/random.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/lod/curve.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/query/query.hpp"
#include "run_with_phases.hpp"
#include "scratch_folder.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class phases : public testing::Test {
 protected:
  phases() {
    record_phases(folder_.path() + "/run.deed");
    events_.emplace(folder_.path() + "/run.deed");
    things_.emplace(*events_);
  }
  [[nodiscard]] std::vector<std::string> names_on(int rank) const {
    std::vector<std::string> names;
    for (const phase_span& each : things_->phases())
      if (events_->lanes()[each.lane].rank == rank) names.push_back(things_->phase_name(each));
    return names;
  }
  [[nodiscard]] const phase_span& named(const std::string& name) const {
    return *std::ranges::find(things_->phases(), name,
                              [this](const phase_span& p) { return things_->phase_name(p); });
  }
  [[nodiscard]] std::string said_of(std::uint32_t event) const {
    return render(describe_event(*things_, event), style::text, {}, 100);
  }

  scratch_folder folder_;
  std::optional<run> events_;
  std::optional<model> things_;
};

TEST_F(phases, have_a_number_where_one_of_their_name_has) {
  EXPECT_THAT(names_on(0), ElementsAre("solve", "step 0", "exchange", "step 1", "exchange",
                                       "step 2", "exchange", "step 3", "exchange"));
  EXPECT_THAT(names_on(1), ElementsAre("solve", "callback"));
}

TEST_F(phases, lie_in_each_other) {
  const phase_span& step = named("step 2");
  EXPECT_EQ(step.begin, 52'000);
  EXPECT_EQ(step.end, 70'000);
  EXPECT_EQ(step.depth, 1u);
  ASSERT_NE(things_->around(step), nullptr);
  EXPECT_EQ(things_->phase_name(*things_->around(step)), "solve");
  EXPECT_EQ(things_->around(named("solve")), nullptr);
  EXPECT_EQ(things_->phase_of(step.event), &step);
  EXPECT_EQ(things_->phase_of(step.end_event), &step);
}

TEST_F(phases, that_did_not_end_last_as_long_as_their_rank_is_known) {
  const phase_span& open = *std::ranges::find(things_->phases(), none, &phase_span::end_event);
  EXPECT_EQ(open.end, 100'000);
  EXPECT_THAT(said_of(open.event), HasSubstr("solve did not end in 90.0 us, from 10.0 us"));
}

/// A number is a part of the name where one phase of it has another one than 0.
TEST_F(phases, have_one_name_in_all_that_is_said) {
  const phase_span &exchange = named("exchange"), &step = named("step 0");
  EXPECT_THAT(said_of(exchange.event), HasSubstr("rank 0 begins exchange."));
  EXPECT_THAT(said_of(exchange.end_event), HasSubstr("rank 0 ends exchange."));
  EXPECT_THAT(said_of(step.event), HasSubstr("rank 0 begins step 0."));
  EXPECT_THAT(said_of(step.end_event), HasSubstr("rank 0 ends step 0."));
}

TEST_F(phases, are_described_at_both_ends) {
  const phase_span& step = named("step 2");
  for (const std::uint32_t each : {step.event, step.end_event}) {
    EXPECT_THAT(said_of(each), HasSubstr("Phase step 2 took 18.0 us, from 52.0 us to 70.0 us."));
    EXPECT_THAT(said_of(each), HasSubstr("It lies in solve."));
    EXPECT_THAT(said_of(each), HasSubstr("1 phase in it."));
  }
}

TEST_F(phases, are_found_by_their_name_whatever_their_number) {
  const auto found = find(*things_, "phase:step");
  EXPECT_EQ(found.size(), 2u * 4u) << "begins and ends";
  for (const std::uint32_t each : found) EXPECT_NE(things_->phase_of(each), nullptr);
  EXPECT_THAT(find(*things_, "phase:callback rank:0"), testing::IsEmpty());
}

/// Rank 0 inserts a task in its step 1, and is in step 2 when that throws; rank 1 is in step 3.
void record_throw_in_phases(event_log& log) {
  std::uint64_t step = 0;
  for (int rank = 0; rank < 2; ++rank) step = log.rank(rank).text("step");
  log.rank(0).handle_registered({.handle = 0, .name = "x", .bytes = 24});
  const auto codelet = log.rank(0).codelet("work", deed::place::current());
  const auto told = log.rank(0).text("deed[D807] task `work` threw: no");
  for (const std::uint64_t index : {1u, 2u}) {
    log.add(1'000, 0, app, record::phase_push, {step, index});
    if (index == 2) continue;
    log.add(1'000, 0, app, record::task_submit, {7, codelet, 0, 0, 0, 1});
    log.add(1'000, 0, app, record::task_access, {7, 0, 0, write_it, 0, 1});
    log.add(1'000, 0, app, record::phase_pop, {step, index});
  }
  log.add(1'000, 1, app, record::phase_push, {step, 3});
  log.add(2'000, 0, worker, record::task_begin, {7, codelet});
  log.add(5'000, 0, worker, record::error, {807, none, none, 7, 0, 0, none, told});
  log.add(6'000, 0, worker, record::task_end, {7, 1});
}

TEST(phases_then, are_named_by_answers_about_a_moment) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  record_throw_in_phases(log);
  const opened run(folder, log);
  const std::string failed = text_of(at_first_error(run.things(), {}));
  EXPECT_THAT(failed, testing::ContainsRegex("inserted at [^;\n]*, in step 1\n"));
  EXPECT_THAT(failed, HasSubstr("phase then: step 2, on rank 0; step 3, on rank 1"));
  EXPECT_THAT(text_of(describe_task(run.things(), 0)), HasSubstr(", in step 1, at 1.0 us."));
  EXPECT_THAT(text_of(who_owned(run.things(), 0, 4'000)),
              testing::ContainsRegex("phase +step 2, on rank 0; step 3, on rank 1"));
  EXPECT_THAT(text_of(state(run.things(), 4'000)),
              HasSubstr("phase then: step 2, on rank 0; step 3, on rank 1"));
  EXPECT_THAT(text_of(waits(run.things(), 4'000)),
              HasSubstr("phase then: step 2, on rank 0; step 3, on rank 1"));
}

TEST(phases_then, are_those_of_all_ranks_in_a_deadlock_that_its_error_has_ended) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 2, 1, 1);
  constexpr std::uint64_t barrier = 3;
  for (const int rank : {0, 1}) {
    const std::uint64_t step = log.rank(rank).text("step");
    const auto told = log.rank(rank).text("deed[D404] deadlock: not every rank reaches `barrier`");
    log.add(1'000, rank, app, record::phase_push, {step, 4});
    log.add(2'000, rank, app, record::wait_begin, {barrier, 1, 0});
    log.add(8'000 + rank, rank, app, record::wait_end, {barrier, 1});
    log.add(8'500 + rank, rank, app, record::phase_pop, {step, 4});
    log.add(9'000 + rank, rank, app, record::error, {404, none, none, nobody, 0, 0, none, told});
  }
  const opened run(folder, log);
  for (const std::string& said :
       {text_of(at_first_error(run.things(), {})), text_of(waits(run.things(), {})),
        check(run.things(), "no_deadlock").at(0).sentence})
    EXPECT_THAT(said, HasSubstr("phase then: step 4, on every rank"));
}

/// As on virtual ranks, where a program takes no time: what lies in what, the order says.
TEST(phases_of_no_time, hold_what_began_in_them) {
  const scratch_folder folder;
  event_log log(folder.path() + "/run.deed", 1, 1, 1);
  const std::uint64_t step = log.rank(0).text("step"), inner = log.rank(0).text("inner");
  for (const auto& [what, name, index] : {std::tuple{record::phase_push, step, 1},
                                          {record::phase_push, inner, 0},
                                          {record::phase_pop, inner, 0},
                                          {record::phase_pop, step, 1},
                                          {record::phase_push, step, 2},
                                          {record::phase_pop, step, 2}})
    log.add(1'000, 0, event_log::application, what, {name, static_cast<std::uint64_t>(index)});
  log.close();
  const run events(folder.path() + "/run.deed");
  const model things(events);
  const auto said_of = [&](std::size_t phase) {
    return render(describe_event(things, things.phases()[phase].event), style::text, {}, 100);
  };
  EXPECT_THAT(said_of(0), HasSubstr("1 phase in it."));
  EXPECT_THAT(said_of(1), HasSubstr("It lies in step 1."));
  EXPECT_THAT(said_of(2), Not(HasSubstr("in it.")));
}

TEST_F(phases, values_are_described_by_those_beside_them) {
  const value_series& residual = things_->values().front();
  EXPECT_EQ(things_->value_name(residual), "residual");
  const std::string said = said_of(residual.events[1]);
  EXPECT_THAT(said, HasSubstr("It was 4,000 before, since 29.0 us; the next one, 250, is of"));
  EXPECT_THAT(said, HasSubstr("Of 4 values the least is 62, the most 4,000."));
  EXPECT_THAT(said_of(things_->values()[1].events[0]), HasSubstr("balance is -5"));
}

TEST_F(phases, have_lanes_above_those_of_their_rank) {
  std::vector<std::string> names;
  for (const timeline_lane& each : make_timeline(*things_))
    names.push_back(std::to_string(each.rank) + " " +
                    (each.sort == lane_sort::work ? events_->lanes()[each.lane].name : each.name));
  EXPECT_THAT(names,
              ElementsAre("0 phases", "0 residual", "0 app", "0 w00", "0 comm", "1 phases app",
                          "1 phases w00", "1 balance", "1 app", "1 w00", "1 comm"));
  const timeline_lane first = make_timeline(*things_).front();
  ASSERT_EQ(first.tracks.size(), 3u);
  EXPECT_EQ(first.tracks[0].size(), 1u);
  EXPECT_EQ(first.tracks[1].size(), 4u);
}

TEST_F(phases, add_no_lane_where_there_are_none) { EXPECT_EQ(make_lanes(*things_).size(), 6u); }

TEST(curve, reaches_at_every_zoom_what_its_points_do) {
  deed::random_source draw{1};
  std::vector<curve::point> points;
  std::int64_t at = 100;
  for (int i = 0; i < 5'000; ++i) {
    at += static_cast<std::int64_t>(draw.below(50));
    points.push_back({at, static_cast<std::int64_t>(draw.below(1'000)) - 500});
  }
  const curve of(points, at + 100);
  for (const std::size_t width : {1u, 7u, 900u})
    for (std::int64_t zoom = 1; zoom <= 4096; zoom *= 8) {
      const std::int64_t from = at / 3, to = from + std::max<std::int64_t>(900, at / 2 / zoom);
      std::vector<value_range> row(width);
      of.draw(from, to, row);
      value_range drawn, wanted;
      for (const value_range& each : row) drawn.reach(each);
      for (const curve::point& each : points)
        if (each.time >= from && each.time < to) wanted.reach({each.value, each.value});
      const std::int64_t held = points[*of.at(from - 1)].value;
      wanted.reach({held, held});
      EXPECT_EQ(drawn.least, wanted.least) << width << " x" << zoom;
      EXPECT_EQ(drawn.most, wanted.most) << width << " x" << zoom;
    }
}

TEST(curve, holds_from_its_first_point_to_the_end) {
  const curve of({{10, 1}, {20, 5}}, 30);
  std::vector<value_range> row(5);
  of.draw(0, 50, row);
  EXPECT_TRUE(row[0].empty());
  EXPECT_EQ(row[1].most, 1);
  EXPECT_EQ(row[2].least, 1);
  EXPECT_EQ(row[2].most, 5);
  EXPECT_EQ(row[3].least, 5);
  EXPECT_TRUE(row[4].empty());
  EXPECT_EQ(of.at(9), std::nullopt);
  EXPECT_EQ(of.at(19), 0u);
  EXPECT_EQ(of.at(31), std::nullopt);
  EXPECT_EQ(of.end_of(0), 20);
  EXPECT_EQ(of.end_of(1), 30);
}

}  // namespace
