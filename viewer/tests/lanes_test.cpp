// SPDX-License-Identifier: MIT
// What lies on the lanes of a timeline.
#include "analysis/ask/ask.hpp"
#include "analysis/ask/gaps.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/lod/arrow_bundles.hpp"
#include "analysis/lod/track.hpp"
#include "scratch_folder.hpp"
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;

constexpr int app = event_log::application, worker = event_log::first_worker;
constexpr std::uint64_t fetch_wait = 1, idle_no_task = 2, idle_dependency = 3;

struct opened {
  explicit opened(const std::string& path) : events(path), things(events) {}
  run events;
  model things;
};

std::string where(const scratch_folder& folder) { return folder.path() + "/run.deed"; }

/// Of each word, how long the lanes of workers say it; tasks aside.
std::map<std::string, std::int64_t> said_on_lanes(const model& of) {
  std::map<std::string, std::int64_t> sums;
  for (const timeline_lane& lane : make_lanes(of))
    if (lane.runs_tasks)
      for (const track_span& span : lane.tracks[0].spans())
        if (span.type == span_type::state) sums[name_of_state(span.kind)] += span.end - span.begin;
  return sums;
}

/// A worker that waits for a task while the program of its rank waits for other ranks.
TEST(lanes, say_of_a_thread_without_a_task_what_the_shares_say) {
  const scratch_folder folder;
  event_log log(where(folder), 1, 1, 1);
  log.add(0, 0, worker, record::state, {idle_no_task, 0, 0});
  log.add(30'000, 0, worker, record::state, {idle_dependency, 0, 0});
  log.add(30'000, 0, app, record::task_submit, {0, 0, 0, 0, 0, 0});
  std::int64_t at = 10'000;
  for (const auto kind : {deed::trace::wait_kind::barrier, deed::trace::wait_kind::collective,
                          deed::trace::wait_kind::request, deed::trace::wait_kind::gate}) {
    log.add(at, 0, app, record::wait_begin, {static_cast<std::uint64_t>(kind), 0, 0});
    log.add(at + 15'000, 0, app, record::wait_end, {static_cast<std::uint64_t>(kind), 0});
    at += 16'000;
  }
  log.add(100'000, 0, worker, record::state, {idle_no_task, 0, 0});
  log.close();
  const opened run(where(folder));
  const auto said = said_on_lanes(run.things);
  EXPECT_EQ(said.at("barrier"), 15'000);
  EXPECT_EQ(said.at("collective call"), 15'000) << "in the state before and that behind";
  EXPECT_EQ(said.at("request wait"), 15'000);
  EXPECT_EQ(said.at("idle, no task"), 11'000);
  EXPECT_EQ(said.at("idle, dependency"), 44'000);
  std::map<std::string, std::int64_t> counted;
  const time_shares all = shares(run.things, {});
  for (const auto& [what, time] : all.workers.at(0).parts)
    if (time != 0) counted[what] = time;
  EXPECT_EQ(counted, said);
}

/// A worker says that data are on their way: beside a program that waits for a message, as beside
/// one that waits until it is taken, where the worker says that there is no task.
TEST(lanes, say_of_a_wait_for_a_message_what_they_say_of_one_until_it_is_taken) {
  const scratch_folder folder;
  event_log log(where(folder), 1, 1, 1);
  constexpr auto request = static_cast<std::uint64_t>(deed::trace::wait_kind::request),
                 barrier = static_cast<std::uint64_t>(deed::trace::wait_kind::barrier);
  log.add(0, 0, worker, record::state, {fetch_wait, 0, 0});
  log.add(10'000, 0, app, record::wait_begin, {request, 0, 0});
  log.add(30'000, 0, app, record::wait_end, {request, 0});
  log.add(40'000, 0, app, record::wait_begin, {barrier, 1, 0});
  log.add(45'000, 0, app, record::wait_end, {barrier, 1});
  log.add(50'000, 0, worker, record::state, {idle_no_task, 0, 0});
  log.add(60'000, 0, app, record::wait_begin, {request, 0, 0});
  log.add(65'000, 0, app, record::wait_end, {request, 0});
  log.add(100'000, 0, worker, record::state, {idle_no_task, 0, 0});
  log.close();
  const opened run(where(folder));
  const auto said = said_on_lanes(run.things);
  EXPECT_EQ(said.at("request wait"), 25'000);
  EXPECT_EQ(said.at("fetch wait"), 30'000) << "tasks wait for data at a barrier, too";
  EXPECT_EQ(said.at("idle, no task"), 45'000);
  std::map<std::string, std::int64_t> counted;
  const time_shares all = shares(run.things, {});
  for (const auto& [what, time] : all.workers.at(0).parts)
    if (time != 0) counted[what] = time;
  EXPECT_EQ(counted, said);
  const table gaps = say_gaps(run.things, 1);
  ASSERT_EQ(gaps.rows.size(), 1u);
  EXPECT_EQ(gaps.rows[0][4], "idle, no task, 45.0 %");
}

TEST(lanes, have_a_track_for_each_depth_of_phases) {
  for (const std::size_t deep : {6u, 20u}) {
    const scratch_folder folder;
    event_log log(where(folder), 1, 1, 1);
    const std::uint64_t name = log.rank(0).text("part");
    for (std::size_t i = 0; i < deep; ++i)
      log.add(static_cast<std::int64_t>(1'000 * i), 0, app, record::phase_push, {name, i});
    for (std::size_t i = deep; i-- > 0;)
      log.add(static_cast<std::int64_t>(100'000 - 1'000 * i), 0, app, record::phase_pop, {name, i});
    log.close();
    const opened run(where(folder));
    const timeline_lane phases = make_timeline(run.things).front();
    ASSERT_EQ(phases.sort, lane_sort::phases);
    ASSERT_EQ(phases.tracks.size(), deep == 6 ? 6u : 16u);
    EXPECT_EQ(phases.tracks[5].size(), 1u);
    EXPECT_EQ(phases.tracks.back().size(), deep == 6 ? 1u : 5u);
  }
}

/// Rank 0 has a worker from 5 us on, rank 1 from 60 us on.
void record_late_worker(const std::string& path) {
  event_log log(path, 2, 1, 1);
  for (const int rank : {0, 1}) {
    log.add(0, rank, app, record::phase_push, {log.rank(rank).text("solve"), 0});
    log.add(rank == 0 ? 5'000 : 60'000, rank, worker, record::state, {idle_no_task, 0, 0});
    log.add(100'000, rank, app, record::phase_pop, {0, 0});
  }
  log.close();
}

std::optional<time_range> not_started_on(const model& of, int rank) {
  const auto& lanes = of.events().lanes();
  for (std::uint32_t lane = 0; lane < lanes.size(); ++lane)
    if (lanes[lane].rank == rank && lanes[lane].is_worker()) return not_started(of, lane);
  return {};
}

/// As a ring would have recorded it, of which the state that a thread was in may be lost.
void call_it_a_ring(const std::string& run) {
  for (const auto& rank : std::filesystem::directory_iterator(run)) {
    const std::filesystem::path file = rank.path() / "metadata";
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    in.close();
    const std::string full = "mode = \"full\"";
    const auto at = text.find(full);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, full.size(), "mode = \"ring\"");
    std::ofstream(file, std::ios::binary) << text;
  }
}

TEST(lanes, of_a_slice_say_of_a_worker_that_it_had_not_started) {
  const scratch_folder folder;
  record_late_worker(where(folder));
  const run whole(where(folder));
  const std::string path = folder.path() + "/part.deed";
  slice(whole, path, {time_range{40'000, 80'000}, {}});
  {
    const opened part(path);
    EXPECT_FALSE(not_started_on(part.things, 0)) << "it is known what it did before";
    const auto before = not_started_on(part.things, 1);
    ASSERT_TRUE(before);
    EXPECT_EQ(before->from, 40'000);
    EXPECT_EQ(before->to, 60'000);
    std::map<std::string, std::int64_t> sums;
    const time_shares all = shares(part.things, {});
    for (const auto& [what, time] : all.sums) sums[what] = time;
    EXPECT_EQ(sums["not started yet"], 20'000);
    EXPECT_EQ(sums["not recorded"], 0);
  }
  call_it_a_ring(path);
  EXPECT_FALSE(not_started_on(opened(path).things, 1));
}

/// A sum from the tree is that of each transfer.
TEST(arrow_bundles, count_what_went_between_two_ranks) {
  const scratch_folder folder;
  generator_options options;
  options.path = where(folder);
  options.events = 200'000;
  generate(options);
  const opened run(where(folder));
  const auto& transfers = run.things.transfers();
  std::vector<track_span> spans;
  for (std::uint32_t i = 0; i < transfers.size(); ++i)
    if (transfers[i].start != never && transfers[i].end() != never)
      spans.push_back({transfers[i].begin(), transfers[i].end(), i, 0, span_type::send, 0});
  const track all(std::move(spans));
  ASSERT_GT(all.size(), 8'300u) << "sums of sums";
  const arrow_bundles bundles(all, run.things);
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    std::size_t first = random() % (all.size() + 1), last = random() % (all.size() + 1);
    if (first > last) std::swap(first, last);
    std::map<std::pair<int, int>, arrow_bundle> expected;
    std::vector<std::uint32_t> refs;
    for (std::size_t i = first; i < last; ++i) {
      const transfer& x = transfers[refs.emplace_back(all.span(i).ref)];
      arrow_bundle& sum = expected[{x.src, x.dst}];
      sum = {x.src, x.dst, sum.messages + 1, sum.bytes + x.bytes};
    }
    std::vector<arrow_bundle> wanted;
    for (const auto& [pair, sum] : expected) wanted.push_back(sum);
    EXPECT_EQ(bundles.of(first, last), wanted) << first << " to " << last;
    EXPECT_EQ(bundles.of(refs), wanted);
  }
}

}  // namespace
