// SPDX-License-Identifier: MIT
#include <deed/base/random.hpp>
#include <deed/tasks/graph.hpp>
#include <deed/tasks/recurrence.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace {

using deed::tasks::graph;
using deed::tasks::recurrent_graph;
using deed::tasks::vertex;

constexpr std::size_t most_data = 4;

struct user : vertex {
  std::vector<std::size_t> read, written;
  std::array<std::uint64_t, most_data> sees{};  // Writes before it in its iteration.
  std::uint64_t runs = 0;
};

/// Runs what is ready in an order that a seed chooses, and compares each access with what a run of
/// one iteration behind the other promises.
class round_and_round {
 public:
  round_and_round(std::uint64_t seed, std::size_t data, std::size_t users) : random_{seed} {
    for (std::size_t i = 0; i < users; ++i) add(data);
  }

  void run(std::uint64_t times) {
    std::vector<vertex*> ready = order_.start(times);
    while (!ready.empty()) {
      const auto pick = static_cast<std::ptrdiff_t>(random_.below(ready.size()));
      auto& next = static_cast<user&>(*ready[static_cast<std::size_t>(pick)]);
      ready.erase(ready.begin() + pick);
      visit(next);
      graph::finish(next, [&](vertex& waited) {
        if (waited.arrive() == vertex::arrival::last) ready.push_back(&waited);
      });
    }
    for (const user& each : users_) EXPECT_EQ(each.runs, times);
  }

 private:
  void add(std::size_t data) {
    user& fresh = users_.emplace_back();
    fresh.open();
    order_.add(fresh);
    for (std::size_t at = 0; at < data; ++at) {
      const auto chance = random_.below(4);
      if (chance > 1) continue;
      fresh.sees[at] = each_time_[at];
      (chance == 0 ? fresh.written : fresh.read).push_back(at);
      order_.use(&now_[at], chance == 0);
    }
    for (const std::size_t at : fresh.written) ++each_time_[at];
  }
  void visit(user& one) {
    for (const std::size_t at : one.read)
      EXPECT_EQ(now_[at], one.sees[at] + one.runs * each_time_[at]);
    for (const std::size_t at : one.written)
      EXPECT_EQ(now_[at]++, one.sees[at] + one.runs * each_time_[at]);
    ++one.runs;
  }

  deed::random_source random_;
  std::deque<user> users_;
  recurrent_graph order_;
  std::array<std::uint64_t, most_data> now_{}, each_time_{};
};

TEST(recurrence, keeps_the_order_of_submission_on_every_datum) {
  for (std::uint64_t seed = 0; seed < 500 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    round_and_round(seed, 1 + seed % most_data, 1 + seed % 17).run(1 + seed % 9);
  }
}

TEST(recurrence, runs_a_vertex_once_at_a_time_that_waits_for_nobody) {
  vertex alone;
  alone.open();
  recurrent_graph order;
  order.add(alone);
  ASSERT_EQ(order.start(3), std::vector<vertex*>{&alone});
  int ready = 0;
  for (int i = 0; i < 3; ++i)
    graph::finish(alone,
                  [&](vertex& next) { ready += next.arrive() == vertex::arrival::last ? 1 : 0; });
  EXPECT_EQ(ready, 2);
}

}  // namespace
