// SPDX-License-Identifier: MIT
#include "analysis/ask/device_work.hpp"

#include <deed/trace/recorder.hpp>

#include "analysis/generate/event_log.hpp"
#include "scratch_folder.hpp"
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;

/// What `info` says a device was busy, whose kernels ran at these times.
std::string busy_of(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& kernels) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed";
  manual_clock clock;
  deed::trace::recorder_options options;
  options.path = path;
  deed::trace::recorder to(options, deed::trace::run_identity{{1, 2}, 0, 1}, &clock);
  to.memory_node(1, deed::trace::memory_kind::device, 0, 0, "device 0");
  deed::trace::stream& queues = to.open_stream(deed::trace::stream_kind::gpu, 0, "device 0");
  clock.at = 1'000'000;
  std::uint16_t queue = 0;
  for (const auto& [begin, end] : kernels) {
    queues.kernel(queue, queue, begin, end);
    ++queue;
  }
  to.close();
  const run read(path);
  const auto tables = devices_of(model(read));
  return tables.empty() ? "no device" : tables.front().rows.at(0).at(3);
}

TEST(device_work, of_queues_that_overlap_is_counted_once) {
  EXPECT_EQ(busy_of({{100'000, 300'000}, {200'000, 400'000}}), "300.0 us");
  EXPECT_EQ(busy_of({{100'000, 400'000}, {200'000, 300'000}}), "300.0 us") << "one in the other";
}

TEST(device_work, of_queues_one_after_the_other_adds_up) {
  EXPECT_EQ(busy_of({{100'000, 200'000}, {300'000, 400'000}, {400'000, 500'000}}), "300.0 us");
}

}  // namespace
