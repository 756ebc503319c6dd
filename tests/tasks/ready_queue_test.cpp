// SPDX-License-Identifier: MIT
#include <deed/tasks/ready_queue.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace {

using deed::tasks::vertex;

/// From wherever there is one.
vertex* take(deed::tasks::ready_queue::door& door) {
  vertex* const own = door.pop();
  return own != nullptr ? own : door.take_from_others();
}

TEST(seeded_queue, gives_the_same_order_for_the_same_seed) {
  const auto order = [](std::uint64_t seed) {
    std::array<vertex, 20> all;
    const auto queue = deed::tasks::make_seeded_queue(seed);
    const auto door = queue->open();
    for (vertex& each : all) door->push(each);
    std::vector<std::ptrdiff_t> taken;
    while (vertex* next = take(*door)) taken.push_back(next - all.data());
    return taken;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
  EXPECT_EQ(order(3).size(), 20u);
}

TEST(shared_queue, loses_nothing_between_threads) {
  constexpr int each = 50'000;
  std::vector<vertex> all(2 * each);
  const auto queue = deed::tasks::make_shared_queue();
  const std::array doors{queue->open(), queue->open(), queue->open()};
  std::array<std::set<vertex*>, 3> taken;
  std::atomic<int> left{2 * each};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        const auto& door = doors[static_cast<std::size_t>(t)];
        // One of them only takes, and the others take while they push.
        for (int i = 0; i < each && t < 2; ++i) {
          door->push(all[static_cast<std::size_t>(t * each + i)]);
          if (i % 3 != 0) continue;
          if (vertex* const next = take(*door)) {
            taken[static_cast<std::size_t>(t)].insert(next);
            left.fetch_sub(1);
          }
        }
        while (left.load() > 0) {
          if (vertex* next = take(*door)) {
            taken[static_cast<std::size_t>(t)].insert(next);
            left.fetch_sub(1);
          } else {
            std::this_thread::yield();
          }
        }
      });
    }
  }
  EXPECT_EQ(taken[0].size() + taken[1].size() + taken[2].size(), all.size());
  EXPECT_EQ(queue->size(), 0u);
}

TEST(shared_queue, gives_what_one_door_pushed_in_that_order) {
  std::vector<vertex> all(1'000);
  const auto queue = deed::tasks::make_shared_queue();
  const auto pushes = queue->open(), pops = queue->open();
  for (vertex& each : all) pushes->push(each);
  EXPECT_EQ(queue->size(), all.size());
  EXPECT_EQ(pops->pop(), nullptr) << "it came through another door";
  for (vertex& each : all) ASSERT_EQ(take(*pops), &each);
  EXPECT_EQ(take(*pops), nullptr);
  EXPECT_EQ(take(*pushes), nullptr);
}

/// Something that can be left at a door.
struct left_vertex : vertex {
  deed::tasks::edge room;
};

TEST(shared_queue, gives_what_was_left_at_a_door_there) {
  std::array<left_vertex, 3> all;
  const auto queue = deed::tasks::make_shared_queue();
  const auto leaves = queue->open(), takes = queue->open();
  for (left_vertex& each : all) leaves->leave_at(1, each, each.room);
  EXPECT_TRUE(leaves->empty());
  EXPECT_FALSE(takes->empty());
  EXPECT_NE(queue->size(), 0u);
  EXPECT_EQ(leaves->pop(), nullptr);
  for (left_vertex& each : all) EXPECT_EQ(takes->pop(), &each);
  EXPECT_EQ(takes->pop(), nullptr);
  EXPECT_EQ(queue->size(), 0u);
}

TEST(shared_queue, gives_what_was_left_elsewhere_when_there_is_nothing_else) {
  std::array<left_vertex, 4> all;
  const auto queue = deed::tasks::make_shared_queue();
  const auto leaves = queue->open(), busy = queue->open(), idle = queue->open();
  for (left_vertex& each : all) leaves->leave_at(1, each, each.room);
  vertex pushed;
  leaves->push(pushed);
  EXPECT_EQ(idle->take_from_others(), &pushed);
  EXPECT_EQ(idle->take_from_others(), &all[0]);
  EXPECT_EQ(take(*busy), &all[1]) << "the rest lies where others find it";
  EXPECT_EQ(take(*idle), &all[2]);
  EXPECT_EQ(take(*leaves), &all[3]);
  EXPECT_EQ(queue->size(), 0u);
}

TEST(shared_queue, loses_nothing_that_is_left_between_threads) {
  constexpr int each = 50'000;
  std::vector<left_vertex> all(2 * each);
  const auto queue = deed::tasks::make_shared_queue();
  const std::array doors{queue->open(), queue->open()};
  std::array<std::size_t, 2> taken{};
  std::atomic<int> left{2 * each};
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 2; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < each; ++i) {
          left_vertex& one = all[t * each + i];
          doors[t]->leave_at(1 - t, one, one.room);
        }
        while (left.load() > 0) {
          if (take(*doors[t]) == nullptr) {
            std::this_thread::yield();
            continue;
          }
          ++taken[t];
          left.fetch_sub(1);
        }
      });
    }
  }
  EXPECT_EQ(taken[0] + taken[1], all.size());
  EXPECT_EQ(queue->size(), 0u);
}

}  // namespace
