// SPDX-License-Identifier: MIT
#include <deed/base/random.hpp>
#include <deed/tasks/graph.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <set>
#include <vector>

namespace {

using deed::tasks::chain;
using deed::tasks::graph;
using deed::tasks::link;
using deed::tasks::vertex;

struct task : vertex {
  std::array<link, 8> links;
  std::size_t used = 0;
};

class graph_order : public testing::Test {
 protected:
  // Submits a task that reads and writes these chains; true if it is ready at once.
  bool submit(task& fresh, std::vector<int> read, std::vector<int> written) {
    fresh.open();
    fresh.used = 0;
    std::uint32_t edges = 0;
    for (const int at : read)
      order.read(chains[static_cast<std::size_t>(at)], fresh, fresh.links[fresh.used++], edges);
    for (const int at : written)
      order.write(chains[static_cast<std::size_t>(at)], fresh, fresh.links[fresh.used++], edges);
    return fresh.commit(edges) == vertex::arrival::last;
  }
  std::vector<task*> complete(task& done) {
    std::vector<task*> ready;
    const auto note = [&](vertex& next) {
      if (next.arrive() == vertex::arrival::last) ready.push_back(static_cast<task*>(&next));
    };
    for (std::size_t i = 0; i < done.used; ++i) order.leave(done.links[i], bin, note);
    graph::finish(done, note);
    return ready;
  }

  graph order;
  graph::bin bin;
  std::array<chain, 4> chains{};
};

TEST_F(graph_order, lets_readers_run_together_and_a_writer_after_the_last_of_them) {
  task writer, one, two, next;
  EXPECT_TRUE(submit(writer, {}, {0}));
  EXPECT_FALSE(submit(one, {0}, {}));
  EXPECT_FALSE(submit(two, {0}, {}));
  EXPECT_FALSE(submit(next, {}, {0}));
  EXPECT_EQ(complete(writer).size(), 2u);
  EXPECT_TRUE(complete(two).empty());
  EXPECT_EQ(complete(one), std::vector<task*>{&next});
}

TEST_F(graph_order, does_not_wait_for_what_is_complete) {
  task writer, reader, next;
  EXPECT_TRUE(submit(writer, {}, {0}));
  complete(writer);
  EXPECT_TRUE(submit(reader, {0}, {}));
  complete(reader);
  EXPECT_TRUE(submit(next, {}, {0}));
}

TEST_F(graph_order, knows_a_vertex_that_is_used_again_from_the_one_it_was) {
  task writer, other, reader;
  EXPECT_TRUE(submit(writer, {}, {0}));
  complete(writer);
  EXPECT_TRUE(submit(writer, {}, {1}));  // The same memory, another task, not complete.
  EXPECT_TRUE(submit(reader, {0}, {}));
}

TEST_F(graph_order, puts_writers_one_after_the_other) {
  task one, two, three;
  EXPECT_TRUE(submit(one, {}, {0, 1}));
  EXPECT_FALSE(submit(two, {}, {1}));
  EXPECT_FALSE(submit(three, {0}, {1}));
  EXPECT_EQ(complete(one), std::vector<task*>{&two});
  EXPECT_EQ(complete(two), std::vector<task*>{&three});
}

// Runs random programs in every order that the graph allows, chosen by a seed, and compares each
// access with what the order of submission promises.
TEST_F(graph_order, keeps_the_order_of_submission_on_every_datum) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    deed::random_source random{seed};
    graph fresh_order;
    graph::bin fresh_bin;
    std::array<chain, 4> fresh_chains{};
    struct plan {
      task node;
      std::vector<std::size_t> read, written;
      std::array<int, 4> sees{};
    };
    std::deque<plan> tasks;
    std::array<int, 4> version{}, now{};
    std::vector<plan*> ready;
    std::size_t finished = 0;
    const auto run_one = [&] {
      const auto pick = random.below(ready.size());
      plan& one = *ready[pick];
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(pick));
      for (const auto at : one.read) ASSERT_EQ(now[at], one.sees[at]) << "seed " << seed;
      for (const auto at : one.written) ASSERT_EQ(now[at]++, one.sees[at]) << "seed " << seed;
      const auto note = [&](vertex& next) {
        if (next.arrive() != vertex::arrival::last) return;
        for (auto& candidate : tasks)
          if (&candidate.node == &next) ready.push_back(&candidate);
      };
      for (std::size_t i = 0; i < one.node.used; ++i)
        fresh_order.leave(one.node.links[i], fresh_bin, note);
      graph::finish(one.node, note);
      ++finished;
    };
    for (int i = 0; i < 40; ++i) {
      plan& one = tasks.emplace_back();
      one.node.open();
      std::uint32_t edges = 0;
      for (std::size_t at = 0; at < 4; ++at) {
        if (random.one_in(2)) continue;
        one.sees[at] = version[at];
        if (random.one_in(3)) {
          one.written.push_back(at);
          ++version[at];
          fresh_order.write(fresh_chains[at], one.node, one.node.links[one.node.used++], edges);
        } else {
          one.read.push_back(at);
          fresh_order.read(fresh_chains[at], one.node, one.node.links[one.node.used++], edges);
        }
      }
      if (one.node.commit(edges) == vertex::arrival::last) ready.push_back(&one);
      while (!ready.empty() && random.one_in(2)) run_one();
    }
    while (!ready.empty()) run_one();
    ASSERT_EQ(finished, tasks.size()) << "seed " << seed;
  }
}

}  // namespace
