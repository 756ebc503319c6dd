// SPDX-License-Identifier: MIT
#include <deed/data/block_pool.hpp>
#include <deed/data/tile_block.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <thread>
#include <utility>
#include <vector>

extern "C" [[gnu::weak]] void __asan_poison_memory_region(const volatile void* at,
                                                          std::size_t bytes);

namespace {

using deed::data::block_pool;

constexpr std::size_t tile = 8192, large = std::size_t{3} << 20;

/// Then every block is of the heap.
bool is_watched() { return &__asan_poison_memory_region != nullptr; }

bool is_full_of(std::byte value, const void* block, std::size_t bytes) {
  const std::span all(static_cast<const std::byte*>(block), bytes);
  return std::ranges::all_of(all, [value](std::byte each) { return each == value; });
}

std::vector<void*> taken(block_pool& from, std::size_t count, std::size_t bytes) {
  std::vector<void*> blocks(count);
  for (void*& each : blocks) each = from.take(bytes);
  return blocks;
}

void give_back(block_pool& to, const std::vector<void*>& blocks, std::size_t bytes) {
  for (void* const each : blocks) to.give_back(each, bytes);
}

TEST(blocks_of_a_pool, are_zero_aligned_and_apart) {
  block_pool pool;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, tile, large}) {
    std::vector<void*> blocks = taken(pool, 20, bytes);
    for (int round = 0; round < 2; ++round) {
      for (void* const each : blocks) {
        ASSERT_NE(each, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(each) % 64, 0u);
        // Of a block that another overlaps, some byte would not be zero any more.
        EXPECT_TRUE(is_full_of(std::byte{0}, each, bytes));
        std::memset(each, 0xff, bytes);
      }
      give_back(pool, blocks, bytes);
      blocks = taken(pool, 20, bytes);
    }
    give_back(pool, blocks, bytes);
  }
}

TEST(blocks_of_a_pool, are_used_again) {
  if (is_watched()) GTEST_SKIP() << "a sanitizer wants each block by itself";
  block_pool pool;
  std::vector<void*> first = taken(pool, 300, tile);
  const std::size_t held = pool.held_bytes();
  give_back(pool, first, tile);
  EXPECT_EQ(pool.idle_bytes(), 300 * tile);
  std::vector<void*> again = taken(pool, 300, tile);
  EXPECT_EQ(pool.idle_bytes(), 0u);
  EXPECT_EQ(pool.held_bytes(), held);
  std::ranges::sort(first);
  std::ranges::sort(again);
  EXPECT_EQ(again, first);
  give_back(pool, again, tile);
}

TEST(blocks_of_a_pool, are_left_as_they_are_for_who_fills_them) {
  if (is_watched()) GTEST_SKIP() << "a sanitizer wants each block by itself";
  block_pool pool;
  void* const first = pool.take(tile);
  std::memset(first, 0xff, tile);
  pool.give_back(first, tile);
  void* const again = pool.take(tile, deed::data::filling::anything);
  EXPECT_EQ(again, first);
  EXPECT_TRUE(is_full_of(std::byte{0xff}, again, tile));
  pool.give_back(again, tile);
}

TEST(memory_of_a_pool, is_at_most_twice_what_is_used) {
  if (is_watched()) GTEST_SKIP() << "a sanitizer wants each block by itself";
  block_pool pool;
  std::vector<void*> blocks;
  for (std::size_t count = 1; count <= 2000; ++count) {
    blocks.push_back(pool.take(tile));
    EXPECT_LE(pool.held_bytes(), 2 * count * tile);
  }
  give_back(pool, blocks, tile);
}

TEST(memory_of_a_pool, goes_back_when_too_much_is_idle) {
  if (is_watched()) GTEST_SKIP() << "a sanitizer wants each block by itself";
  block_pool pool(2 * large);
  give_back(pool, taken(pool, 10, large), large);
  EXPECT_EQ(pool.idle_bytes(), 2 * large);
  EXPECT_EQ(pool.held_bytes(), 2 * large);
}

TEST(memory_of_a_pool, stays_where_a_block_is_used) {
  if (is_watched()) GTEST_SKIP() << "a sanitizer wants each block by itself";
  block_pool pool(0);
  std::vector<void*> blocks = taken(pool, 64, tile);
  void* const kept = blocks.back();
  std::memset(kept, 1, tile);
  blocks.pop_back();
  give_back(pool, blocks, tile);
  EXPECT_LT(pool.held_bytes(), 64 * tile);
  EXPECT_TRUE(is_full_of(std::byte{1}, kept, tile));
  pool.give_back(kept, tile);
  EXPECT_EQ(pool.held_bytes(), 0u);
}

TEST(memory_of_a_pool, is_refused_when_there_is_none) {
  if (is_watched()) GTEST_SKIP() << "a sanitizer wants each block by itself";
  block_pool pool;
  give_back(pool, taken(pool, 3, tile), tile);
  EXPECT_EQ(pool.take(std::size_t{1} << 62), nullptr);
  EXPECT_EQ(pool.held_bytes(), 0u);  // Idle blocks went first.
  void* const later = pool.take(tile);
  EXPECT_NE(later, nullptr);
  pool.give_back(later, tile);
}

TEST(blocks_of_a_pool, are_taken_by_many_threads) {
  block_pool pool(std::size_t{1} << 16);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&pool, thread] {
      const std::size_t bytes = thread % 2 == 0 ? tile : 64;
      for (int round = 0; round < 50; ++round) {
        const std::vector<void*> mine = taken(pool, 20, bytes);
        for (void* const each : mine) std::memset(each, thread, bytes);
        for (void* const each : mine)
          EXPECT_TRUE(is_full_of(static_cast<std::byte>(thread), each, bytes));
        give_back(pool, mine, bytes);
      }
    });
  }
}

TEST(tiles_of_a_pool, are_zero_for_tasks_and_not_filled_for_what_arrives) {
  if (is_watched()) GTEST_SKIP() << "a sanitizer wants each block by itself";
  block_pool pool;
  deed::data::tile_block<double>({32, 32}, &pool).fill(1.0);
  {
    deed::data::tile_block<double> received({32, 32}, &pool);
    ASSERT_NE(received.bytes().prepare(tile).address, nullptr);
    EXPECT_EQ(received.read_view()(31, 31), 1.0);  // What lay there.
  }
  deed::data::tile_block<double> written({32, 32}, &pool);
  EXPECT_EQ(written.write_view()(31, 31), 0.0);
}

TEST(tiles_of_a_pool, give_their_memory_back) {
  if (is_watched()) GTEST_SKIP() << "a sanitizer wants each block by itself";
  block_pool pool;
  {
    deed::data::tile_block<double> one({32, 32}, &pool);
    EXPECT_EQ(pool.held_bytes(), 0u);  // Nobody has touched it.
    one.fill(1.0);
    EXPECT_EQ(pool.held_bytes(), tile);
    const deed::data::tile_block<double> other(std::move(one));
    EXPECT_EQ(other.read_view()(31, 31), 1.0);
    EXPECT_EQ(pool.idle_bytes(), 0u);
  }
  EXPECT_EQ(pool.idle_bytes(), tile);
}

}  // namespace
