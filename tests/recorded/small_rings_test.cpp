// SPDX-License-Identifier: MIT
// Rings of all sizes, with threads that record in bursts: what they lose are their oldest events.
#include <deed/base/random.hpp>
#include <deed/trace/recorder.hpp>

#include "analysis/read/run.hpp"
#include "tests/scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace deed::trace;
using deed::viewer::field;

/// One way to record, drawn at random.
struct drawn_ring {
  explicit drawn_ring(std::uint64_t seed) : draw{seed} {
    options.mode = recording::ring;
    options.packet_bytes = std::size_t{64} << (10 + draw.below(2));
    options.ring_bytes = std::size_t{64 + draw.below(700)} << 10;
    options.synchronous = draw.below(4) == 0;
    for (const category each : {category::transfer, category::cache})
      if (draw.below(3) == 0) options.categories &= ~static_cast<std::uint32_t>(each);
    threads = 1 + draw.below(4);
  }
  deed::random_source draw;
  recorder_options options;
  std::uint64_t threads = 1;
};

/// Writes events that have numbers, in bursts. @return the numbers of those that are recorded.
std::vector<std::uint64_t> record_bursts(stream& to, deed::random_source draw) {
  std::vector<std::uint64_t> numbers;
  const std::uint64_t total = draw.below(60'000);
  for (std::uint64_t n = 0; n < total;) {
    for (std::uint64_t end = std::min(total, n + 1 + draw.below(9'000)); n < end; ++n) {
      const auto handle = static_cast<std::uint32_t>(n % 7);
      const std::uint64_t kind = draw.below(3);
      const category of = kind == 0   ? category::task
                          : kind == 1 ? category::transfer
                                      : category::cache;
      if (kind == 0) to.task_begin(n, 1);
      if (kind == 1)
        to.xfer_post(direction::send, handle, 3, 1, 0, 4096, 9, transfer_reason::task, n);
      if (kind == 2) to.cache_lookup(handle, 4, 2, lookup_result::hit, n);
      if (to.enabled(of)) numbers.push_back(n);
    }
    std::this_thread::yield();
  }
  return numbers;
}

struct kept_events {
  std::vector<std::uint64_t> numbers;
  std::size_t bytes = 0;
};

/// Of one stream, in the order of the recording.
kept_events kept_of(const deed::viewer::run& read, std::uint32_t lane) {
  constexpr std::size_t event_header = 9;
  kept_events kept;
  for (std::uint32_t i = 0; i < read.events().size(); ++i) {
    const deed::viewer::event each = read.events()[i];
    if (each.lane != lane) continue;
    kept.numbers.push_back(read.get(
        each, each.what == deed::viewer::record::task_begin ? field::task : field::for_task));
    kept.bytes += event_header + read.payload_bytes(each);
  }
  return kept;
}

void keeps_the_newest(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const scratch_folder folder;
  drawn_ring drawn(seed);
  drawn.options.path = folder.path() + "/run.deed";
  std::vector<std::vector<std::uint64_t>> written(drawn.threads);
  {
    recorder to(drawn.options, {});
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < drawn.threads; ++i) {
      stream& mine = to.open_stream(stream_kind::worker, static_cast<int>(i));
      threads.emplace_back(
          [&, i] { written[i] = record_bursts(mine, deed::random_source{seed * 16 + i}); });
    }
    threads.clear();
    to.close();
    EXPECT_EQ(to.discarded(), 0u);
  }
  const deed::viewer::run read(drawn.options.path);
  for (const std::string& each : read.incomplete())
    EXPECT_THAT(each, testing::HasSubstr("were given up for later ones"));
  const std::size_t least =
      std::max(drawn.options.ring_bytes / 4 / drawn.options.packet_bytes, std::size_t{1}) *
      drawn.options.packet_bytes * 3;
  for (std::uint32_t lane = 0; lane < read.lanes().size(); ++lane) {
    if (!read.lanes()[lane].name.starts_with("w")) continue;
    const kept_events kept = kept_of(read, lane);
    const auto& all = written[read.lanes()[lane].index];
    ASSERT_LE(kept.numbers.size(), all.size());
    const auto newest = all.end() - static_cast<std::ptrdiff_t>(kept.numbers.size());
    EXPECT_TRUE(std::equal(newest, all.end(), kept.numbers.begin())) << "the newest, in order";
    if (kept.numbers.size() == all.size()) continue;
    EXPECT_GE(kept.bytes, least / 100 * 99);
  }
}

TEST(small_rings, give_up_their_oldest_events_alone) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) keeps_the_newest(seed);
}

}  // namespace
