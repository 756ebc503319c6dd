// SPDX-License-Identifier: MIT
// What lies on the lanes of a timeline.
#include "analysis/generate/event_log.hpp"
#include "analysis/lod/track.hpp"
#include "scratch_folder.hpp"
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace {

using namespace deed::viewer;

constexpr int app = event_log::application;

struct opened {
  explicit opened(const std::string& path) : events(path), things(events) {}
  run events;
  model things;
};

std::string where(const scratch_folder& folder) { return folder.path() + "/run.deed"; }

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

}  // namespace
