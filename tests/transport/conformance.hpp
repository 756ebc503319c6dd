// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>
#include <deed/transport/endpoint.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <map>
#include <set>
#include <vector>

/// @file
/// What every endpoint has to do, as programs that each rank runs. One suite for `sim`, `inproc`
/// and `mpi`.

namespace transport_test {

using deed::const_memory_block;
using deed::memory_block;
using deed::rank;
using deed::transport::endpoint;
using deed::transport::event;
using deed::transport::event_kind;

/// Collects what an endpoint reports, until enough is there.
class listener {
 public:
  explicit listener(endpoint& end) : end_(end) {}

  std::vector<std::pair<int, std::vector<std::byte>>> frames;
  std::set<std::uint64_t> sent, received;
  int failed = 0;
  int meetings = 0;

  template <class Enough>
  void until(Enough enough) {
    std::array<event, 4> events;
    while (!enough()) {
      const std::uint64_t seen = end_.signals();
      const std::size_t count = end_.poll(events);
      for (std::size_t i = 0; i < count; ++i) take(events[i]);
      if (count == 0 && !enough()) end_.rest(std::chrono::microseconds{200}, seen);
    }
  }

 private:
  void take(const event& what) {
    switch (what.kind) {
      case event_kind::frame:
        frames.emplace_back(what.peer.value,
                            std::vector<std::byte>(what.frame.begin(), what.frame.end()));
        break;
      case event_kind::bulk_sent:
        EXPECT_TRUE(sent.insert(what.cookie).second);
        break;
      case event_kind::bulk_received:
        EXPECT_TRUE(received.insert(what.cookie).second);
        break;
      default:
        ++failed;
    }
  }
  endpoint& end_;
};

inline std::vector<std::byte> pattern(std::size_t bytes, int seed) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    made[i] = static_cast<std::byte>((i * 7 + static_cast<std::size_t>(seed)) & 0xff);
  }
  return made;
}

/// No rank leaves before all have arrived here, and nothing is on its way then.
inline void meet(endpoint& end, listener& all) {
  const int ranks = end.limits().ranks, self = end.limits().self.value;
  ++all.meetings;
  const std::array<std::byte, 1> mark{std::byte{0xee}};
  const auto marks = [&] {
    return static_cast<int>(std::count_if(all.frames.begin(), all.frames.end(),
                                          [](const auto& f) { return f.second.size() == 1; }));
  };
  if (self == 0) {
    all.until([&] { return marks() == all.meetings * (ranks - 1); });
    for (int r = 1; r < ranks; ++r) end.send_frame(rank{r}, mark, {});
  } else {
    end.send_frame(rank{0}, mark, {});
    all.until([&] { return marks() == all.meetings; });
  }
  all.until([&] { return end.pending() == 0; });
}

/// Frames of many sizes from everyone to everyone: each arrives once and whole.
inline void all_frames_arrive(endpoint& end) {
  const int ranks = end.limits().ranks, self = end.limits().self.value;
  constexpr int each = 40;
  listener all(end);
  const std::array<std::size_t, 5> sizes{2, 64, 100, 4097, end.limits().frame_bytes};
  for (int i = 0; i < each; ++i) {
    for (int to = 0; to < ranks; ++to) {
      if (to == self) continue;
      const auto bytes = pattern(sizes[static_cast<std::size_t>(i) % sizes.size()], i);
      end.send_frame(rank{to}, std::span(bytes).first(2), {bytes.data() + 2, bytes.size() - 2});
    }
    all.until([] { return true; });
  }
  const auto whole = [&] {
    return std::count_if(all.frames.begin(), all.frames.end(),
                         [](const auto& f) { return f.second.size() > 1; });
  };
  all.until([&] { return whole() == each * (ranks - 1); });
  std::map<std::pair<int, std::size_t>, int> seen;
  for (const auto& [from, bytes] : all.frames) {
    if (bytes.size() == 1) continue;
    ++seen[{from, bytes.size()}];
    EXPECT_EQ(bytes, pattern(bytes.size(), std::to_integer<int>(bytes[0])));
  }
  for (const auto& [key, count] : seen)
    EXPECT_EQ(count, each / 5) << key.first << ' ' << key.second;
  meet(end, all);
  EXPECT_EQ(all.failed, 0);
}

/// Bulk bytes between neighbours: exact sizes, one tag used again and again, in order.
inline void bulk_arrives_in_order(endpoint& end) {
  const int ranks = end.limits().ranks, self = end.limits().self.value;
  if (ranks == 1) return;
  const rank next{(self + 1) % ranks}, before{(self + ranks - 1) % ranks};
  const std::array<std::size_t, 4> sizes{1, 1000, 70000, 300001};
  listener all(end);
  std::vector<std::vector<std::byte>> rooms, sources;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    rooms.emplace_back(sizes[i]);
    sources.push_back(pattern(sizes[i], self + static_cast<int>(i)));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    end.receive_bulk(before, 3, {.address = rooms[i].data(), .row_bytes = sizes[i]}, 16 * (i + 1));
  }
  meet(end, all);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    end.send_bulk(next, 3, {sources[i].data(), sizes[i]}, 16 * (i + 101));
  }
  all.until([&] { return all.sent.size() == 4 && all.received.size() == 4; });
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(rooms[i], pattern(sizes[i], before.value + static_cast<int>(i)));
  }
  meet(end, all);
}

/// A tile of a matrix on one side, contiguous memory on the other, both ways.
inline void strided_blocks_travel(endpoint& end) {
  const int ranks = end.limits().ranks, self = end.limits().self.value;
  if (ranks == 1) return;
  const rank next{(self + 1) % ranks}, before{(self + ranks - 1) % ranks};
  constexpr std::size_t rows = 20, row = 24, pitch = 100;
  std::vector<std::byte> matrix = pattern(rows * pitch, self), other(rows * pitch),
                         flat(rows * row);
  listener all(end);
  end.receive_bulk(before, 1, {.address = flat.data(), .row_bytes = flat.size()}, 16);
  end.receive_bulk(before, 2,
                   {.address = other.data(), .row_bytes = row, .rows = rows, .pitch = pitch}, 32);
  meet(end, all);
  const memory_block tile{.address = matrix.data(), .row_bytes = row, .rows = rows, .pitch = pitch};
  const auto straight = pattern(rows * row, self + 5);
  end.send_bulk(next, 1, tile, 48);
  end.send_bulk(next, 2, {straight.data(), straight.size()}, 64);
  all.until([&] { return all.sent.size() == 2 && all.received.size() == 2; });
  const auto theirs = pattern(rows * pitch, before.value);
  const auto wanted = pattern(rows * row, before.value + 5);
  for (std::size_t r = 0; r < rows; ++r) {
    EXPECT_EQ(std::memcmp(flat.data() + r * row, theirs.data() + r * pitch, row), 0);
    EXPECT_EQ(std::memcmp(other.data() + r * pitch, wanted.data() + r * row, row), 0);
    if (r + 1 < rows) {
      EXPECT_EQ(other[r * pitch + row], std::byte{0}) << "wrote between rows";
    }
  }
  meet(end, all);
}

}  // namespace transport_test
