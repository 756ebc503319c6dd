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

TEST(seeded_queue, gives_the_same_order_for_the_same_seed) {
  const auto order = [](std::uint64_t seed) {
    std::array<vertex, 20> all;
    const auto queue = deed::tasks::make_seeded_queue(seed);
    const auto door = queue->open();
    for (vertex& each : all) door->push(each);
    std::vector<std::ptrdiff_t> taken;
    while (vertex* next = door->pop()) taken.push_back(next - all.data());
    return taken;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
  EXPECT_EQ(order(3).size(), 20u);
}

TEST(shared_queue, loses_nothing_between_threads) {
  constexpr int each = 10'000;
  std::vector<vertex> all(2 * each);
  const auto queue = deed::tasks::make_shared_queue();
  std::array<std::set<vertex*>, 2> taken;
  std::atomic<int> left{2 * each};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&, t] {
        const auto door = queue->open();
        for (int i = 0; i < each; ++i) door->push(all[static_cast<std::size_t>(t * each + i)]);
        while (left.load() > 0) {
          if (vertex* next = door->pop()) {
            taken[static_cast<std::size_t>(t)].insert(next);
            left.fetch_sub(1);
          } else {
            std::this_thread::yield();
          }
        }
      });
    }
  }
  EXPECT_EQ(taken[0].size() + taken[1].size(), all.size());
  EXPECT_EQ(queue->size(), 0u);
}

}  // namespace
