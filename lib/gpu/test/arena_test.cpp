// SPDX-License-Identifier: MIT
#include "memory/arena.hpp"

#include <deed/base/random.hpp>

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace {

using namespace deed::gpu;

/// Slabs from nowhere: addresses that nobody touches.
struct fake_memory {
  std::map<std::byte*, std::size_t> slabs;
  std::uintptr_t next = 1 << 20;

  arena make(std::size_t limit, std::size_t slab) {
    return arena(
        [this](std::size_t bytes, void*& address) {
          address = reinterpret_cast<void*>(next);
          slabs[static_cast<std::byte*>(address)] = bytes;
          next += bytes + 4096;
          return status{};
        },
        [this](void* address) {
          slabs.erase(static_cast<std::byte*>(address));
          return status{};
        },
        limit, slab);
  }
};

TEST(arena, rounds_up_by_a_quarter_at_most) {
  for (std::size_t bytes = 1; bytes < 3'000'000; bytes += 997) {
    EXPECT_GE(arena::rounded(bytes), bytes);
    EXPECT_LE(arena::rounded(bytes), std::max<std::size_t>(256, bytes + bytes / 4 + 256));
    EXPECT_EQ(arena::rounded(bytes) % 256, 0u);
  }
}

TEST(arena, hands_a_block_on_with_the_events_that_use_it) {
  fake_memory memory;
  event_pool events;
  arena all = memory.make(1 << 20, 1 << 16);
  arena::block first, second;
  event_list behind;
  ASSERT_TRUE(all.allocate(1000, first, behind).ok());
  EXPECT_TRUE(behind.empty());
  const event_handle busy = events.adopt(event_ref(nullptr, device_id{0}));
  all.release(first, {busy});
  ASSERT_TRUE(all.allocate(1000, second, behind).ok());
  EXPECT_EQ(second.address, first.address);
  ASSERT_EQ(behind.size(), 1u);
  EXPECT_EQ(behind[0], busy);
}

TEST(arena, prefers_memory_that_is_finished_with) {
  fake_memory memory;
  event_pool events;
  arena all = memory.make(64 << 20, 1 << 20);
  arena::block busy_one, free_one, next;
  event_list behind;
  ASSERT_TRUE(all.allocate(3 << 20, busy_one, behind).ok());
  ASSERT_TRUE(all.allocate(3 << 20, free_one, behind).ok());
  all.release(busy_one, {events.adopt(event_ref(nullptr, device_id{0}))});
  all.release(free_one, {});
  ASSERT_TRUE(all.allocate(3 << 20, next, behind).ok());
  EXPECT_EQ(next.address, free_one.address);
}

TEST(arena, keeps_slabs_that_an_event_still_holds) {
  fake_memory memory;
  event_pool events;
  arena all = memory.make(1 << 20, 1 << 16);
  arena::block block;
  event_list behind;
  ASSERT_TRUE(all.allocate(1000, block, behind).ok());
  const event_handle busy = events.adopt(event_ref(nullptr, device_id{0}));
  all.release(block, {busy});
  EXPECT_EQ(all.trim(), 0u);
  busy->done = true;
  EXPECT_EQ(all.trim(), std::size_t{1} << 16);
  EXPECT_EQ(all.reserved(), 0u);
}

TEST(arena, needs_no_new_slab_in_a_steady_state) {
  fake_memory memory;
  arena all = memory.make(1 << 20, 1 << 16);
  for (int round = 0; round < 1000; ++round) {
    arena::block one, two;
    event_list behind;
    ASSERT_TRUE(all.allocate(5000, one, behind).ok());
    ASSERT_TRUE(all.allocate(700, two, behind).ok());
    all.release(one, {});
    all.release(two, {});
  }
  EXPECT_EQ(all.slabs_made(), 1u);
}

/// A million operations against what must hold: inside slabs, no overlap, counts right, all comes
/// back.
TEST(arena, agrees_with_a_model_over_a_million_operations) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    fake_memory memory;
    arena all = memory.make(16 << 20, 1 << 20);
    deed::random_source draw(seed);
    std::map<std::byte*, arena::block> live;
    std::size_t used = 0;
    std::uint64_t refused = 0;
    for (int i = 0; i < 500'000; ++i) {
      if (draw.below(100) < 52) {
        const std::size_t bytes = draw.one_in(20) ? draw.below(3 << 20) : draw.below(60'000);
        arena::block block;
        event_list behind;
        if (!all.allocate(bytes, block, behind).ok()) {
          ++refused;
          if (draw.one_in(8)) all.trim();
          continue;
        }
        ASSERT_GE(block.bytes, bytes);
        const auto after = live.lower_bound(block.address);
        ASSERT_TRUE(after == live.end() || block.address + block.bytes <= after->first);
        ASSERT_TRUE(after == live.begin() ||
                    std::prev(after)->first + std::prev(after)->second.bytes <= block.address);
        auto slab = memory.slabs.upper_bound(block.address);
        ASSERT_NE(slab, memory.slabs.begin());
        --slab;
        ASSERT_LE(block.address + block.bytes, slab->first + slab->second);
        live.emplace(block.address, block);
        used += block.bytes;
      } else if (!live.empty()) {
        auto victim = live.lower_bound(reinterpret_cast<std::byte*>(draw.below(memory.next)));
        if (victim == live.end()) victim = live.begin();
        used -= victim->second.bytes;
        all.release(victim->second, {});
        live.erase(victim);
      }
      ASSERT_EQ(all.used(), used);
      ASSERT_LE(all.reserved(), all.limit());
    }
    for (const auto& [address, block] : live) all.release(block, {});
    all.trim();
    EXPECT_EQ(all.reserved(), 0u);
    EXPECT_TRUE(memory.slabs.empty());
    EXPECT_GT(refused, 0u) << "the limit was never met";
  }
}

}  // namespace
