// SPDX-License-Identifier: MIT
#include <deed/base/planted.hpp>

#include "../support/explorer.hpp"
#include <gtest/gtest.h>

#include <bit>
#include <compare>
#include <set>
#include <span>
#include <unordered_map>

#define std explored
#include <deed/tasks/ranked_list.hpp>

#include "graph.cpp"
#include "inbox.hpp"
#include "recurrence.cpp"
#include "ring.hpp"
#undef std

/// @file
/// All that threads meet in without a lock while they pass tasks on, in all orders of a few of
/// them.

namespace {

using deed::tasks::edge;
using deed::tasks::graph;
using deed::tasks::vertex;
using explored::exploration;
using explored::schedule;

/// For those who have to wait for work.
class work_list {
 public:
  explicit work_list(std::size_t all) : left_(all) {}
  void push(vertex& ready) {
    const std::lock_guard lock(mutex_);
    ready_.push_back(&ready);
    changed_.notify_all();
  }
  /// Null: all is done.
  vertex* pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty() || left_ == 0; });
    if (left_ == 0) return nullptr;
    vertex* const next = ready_.front();
    ready_.pop_front();
    if (--left_ == 0) changed_.notify_all();
    return next;
  }
  /// One runs that was not pushed.
  void pass() {
    const std::lock_guard lock(mutex_);
    if (--left_ == 0) changed_.notify_all();
  }

 private:
  explored::mutex mutex_;
  explored::condition_variable changed_;
  std::deque<vertex*> ready_;
  std::size_t left_;
};

TEST(exploration, tries_all_orders) {
  const exploration all(
      [](schedule& in) {
        const auto x = std::make_shared<explored::atomic<int>>(0);
        for (int i = 0; i < 2; ++i) {
          in.thread([=] {
            x->store(1);
            x->store(2);
          });
        }
      },
      100);
  EXPECT_EQ(all.wrong(), "");
  EXPECT_EQ(all.orders(), 20u);  // Three pieces of each thread: 6 over 3.
}

TEST(exploration, finds_what_needs_one_preemption) {
  const auto add_to_it = [](schedule& in) {
    const auto x = std::make_shared<explored::atomic<int>>(0);
    for (int i = 0; i < 2; ++i) in.thread([=] { x->store(x->load() + 1); });
    in.at_end([x, &in] { in.expect(x->load() == 2, "one got lost"); });
  };
  EXPECT_EQ(exploration(add_to_it, 0).wrong(), "");
  EXPECT_EQ(exploration(add_to_it, 1).wrong(), "one got lost, threads 001110");
}

TEST(exploration, finds_a_thread_that_waits_for_ever) {
  const exploration all([](schedule& in) {
    const auto calls = std::make_shared<explored::atomic<int>>(0);
    const auto done = std::make_shared<explored::atomic<bool>>(false);
    in.thread([=] {
      while (!done->load()) calls->wait(calls->load());
    });
    in.thread([=] {
      calls->fetch_add(1);
      calls->notify_one();
      done->store(true);  // Too late.
    });
  });
  EXPECT_NE(all.wrong().find("a thread waits for ever"), std::string::npos) << all.wrong();
}

/// Two leave vertices in an inbox, its owner and a thief take all that is there.
TEST(inbox, gives_each_once_and_in_order) {
  using deed::tasks::detail::inbox;
  struct meeting_place {
    inbox box;
    std::array<vertex, 4> all;
    std::array<edge, 4> rooms;
    std::array<std::vector<std::ptrdiff_t>, 2> taken;
    std::vector<std::ptrdiff_t> take() {
      std::vector<std::ptrdiff_t> found;
      for (const edge* at = box.take_all(); at != nullptr; at = at->next)
        found.push_back(at->to - all.data());
      return found;
    }
  };
  const exploration all(
      [](schedule& in) {
        const auto here = std::make_shared<meeting_place>();
        for (const std::size_t first : {0u, 2u}) {
          in.thread([=] {
            for (const std::size_t i : {first, first + 1})
              here->box.leave(here->all[i], here->rooms[i]);
          });
        }
        for (auto& mine : here->taken) {
          in.thread([=, &mine] {
            for (int i = 0; i < 2; ++i) {
              for (const std::ptrdiff_t each : here->take()) mine.push_back(each);
            }
          });
        }
        in.at_end([=, &in] {
          std::vector<std::ptrdiff_t> found = here->take();
          for (const auto& mine : here->taken) {
            const auto before = [&](std::ptrdiff_t one, std::ptrdiff_t other) {
              const auto at = std::ranges::find(mine, one);
              return at == mine.end() || at < std::ranges::find(mine, other);
            };
            in.expect(before(0, 1) && before(2, 3), "what came later is taken first");
            found.insert(found.end(), mine.begin(), mine.end());
          }
          std::ranges::sort(found);
          in.expect(found == std::vector<std::ptrdiff_t>{0, 1, 2, 3}, "not each once");
          in.expect(here->box.empty(), "something is left");
        });
      },
      3);
  EXPECT_EQ(all.wrong(), "");
}

/// One producer and two consumers; before they start, so many were pushed and taken.
void explore_ring(int pushed_before, int taken_before, int pushes, int preemptions = 3) {
  using numbers = deed::tasks::detail::ring<int>;
  struct meeting_place {
    numbers queue;
    std::vector<int> items;
    std::array<std::vector<int>, 2> taken;
  };
  const exploration all(
      [=](schedule& in) {
        const auto here = std::make_shared<meeting_place>();
        for (int i = 0; i < pushed_before + pushes; ++i) here->items.push_back(i);
        const auto take = [here](std::uint64_t& end_seen, std::uint64_t most) {
          std::array<int*, 64> found{};
          const auto share = [=](std::uint64_t there) { return std::min(there, most); };
          const std::size_t count = here->queue.take(found.data(), end_seen, share);
          std::vector<int> values;
          for (std::size_t i = 0; i < count; ++i) values.push_back(*found[i]);
          return values;
        };
        for (int i = 0; i < pushed_before; ++i) here->queue.push(here->items[std::size_t(i)]);
        for (int i = 0; i < taken_before; ++i) {
          std::uint64_t end_seen = 0;
          static_cast<void>(take(end_seen, 1));
        }
        in.thread([=] {
          for (int i = 0; i < pushes; ++i)
            here->queue.push(here->items[std::size_t(pushed_before + i)]);
        });
        for (std::vector<int>& mine : here->taken) {
          in.thread([=, &mine] {
            std::uint64_t end_seen = 0;
            for (int i = 0; i < 2; ++i) {
              for (const int each : take(end_seen, 2)) mine.push_back(each);
            }
          });
        }
        in.at_end([=, &in] {
          std::uint64_t end_seen = 0;
          std::vector<int> found = take(end_seen, 64);
          for (const std::vector<int>& mine : here->taken) {
            in.expect(std::ranges::is_sorted(mine), "a consumer takes what is newer first");
            found.insert(found.end(), mine.begin(), mine.end());
          }
          std::ranges::sort(found);
          std::vector<int> wanted(here->items.begin() + taken_before, here->items.end());
          in.expect(found == wanted, "an item is lost or taken twice");
        });
      },
      preemptions);
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

TEST(ring_interleavings, what_is_pushed_is_taken_once) { explore_ring(0, 0, 2); }
TEST(ring_interleavings, also_while_its_end_comes_round) { explore_ring(63, 61, 2); }
TEST(ring_interleavings, also_while_it_grows) { explore_ring(64, 0, 1, 2); }

TEST(recycler_interleavings, what_comes_back_is_handed_out_once) {
  struct item {
    item* next = nullptr;
  };
  struct meeting_place {
    deed::tasks::recycler<item> memory;
    std::vector<item*> held;
  };
  constexpr std::size_t slab = 64;
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    for (std::size_t i = 0; i < slab; ++i) here->held.push_back(&here->memory.take());
    for (std::size_t from : {std::size_t{0}, std::size_t{2}}) {
      in.thread([=] {
        here->memory.give_back(*here->held[from]);
        here->memory.give_back(*here->held[from + 1]);
      });
    }
    here->memory.give_back(*here->held[4]);
    in.thread([=] {
      item& first = here->memory.take();
      here->memory.give_back(first);
      here->memory.put_back(here->memory.take());
    });
    in.at_end([=, &in] {
      std::set<item*> found;
      for (int i = 0; i < 5; ++i) found.insert(&here->memory.take());
      const std::set<item*> wanted(here->held.begin(), here->held.begin() + 5);
      in.expect(found == wanted, "memory is lost or handed out twice");
    });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

/// A writer, two readers, a writer, on one datum; inserted while two others run them.
TEST(graph_interleavings, tasks_run_once_and_in_order) {
  struct job : vertex {
    deed::tasks::link at;
    bool writes = false;
    bool ran = false;
  };
  struct meeting_place {
    graph edges;
    deed::tasks::chain order;
    std::array<job, 4> jobs;
    std::array<graph::bin, 2> bins;
    work_list ready{4};
  };
  const exploration all(
      [](schedule& in) {
        const auto here = std::make_shared<meeting_place>();
        here->jobs[0].writes = here->jobs[3].writes = true;
        in.thread([=] {
          for (job& each : here->jobs) {
            std::uint32_t edges = 0;
            each.open();
            if (each.writes)
              here->edges.write(here->order, each, each.at, edges);
            else
              here->edges.read(here->order, each, each.at, edges);
            if (each.commit(edges) == vertex::arrival::last) here->ready.push(each);
          }
        });
        for (graph::bin& mine : here->bins) {
          in.thread([=, &in, &mine] {
            const auto push = [&](vertex& next) {
              if (next.arrive() == vertex::arrival::last) here->ready.push(next);
            };
            while (vertex* const next = here->ready.pop()) {
              auto& now = static_cast<job&>(*next);
              in.expect(!now.ran, "a task runs twice");
              for (job* before = here->jobs.data(); before != &now; ++before)
                in.expect(before->ran || !(now.writes || before->writes), "a task runs too early");
              now.ran = true;
              here->edges.leave(now.at, mine, push);
              graph::finish(now, push);
            }
          });
        }
        in.at_end([=, &in] {
          for (const job& each : here->jobs) in.expect(each.ran, "a task does not run");
        });
      },
      3);
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

/// A writer and two readers that run three times, by two threads.
TEST(recurrence_interleavings, iterations_do_not_overtake_each_other) {
  constexpr int times = 3;
  struct job : vertex {
    int runs = 0;
  };
  struct meeting_place {
    deed::tasks::recurrent_graph order;
    std::array<job, 3> jobs;
    int datum = 0;
    work_list ready{3 * times};
  };
  const exploration all(
      [](schedule& in) {
        const auto here = std::make_shared<meeting_place>();
        for (job& each : here->jobs) {
          each.open();
          here->order.add(each);
          here->order.use(&here->datum, &each == here->jobs.data());
        }
        for (vertex* const each : here->order.start(times)) here->ready.push(*each);
        for (int i = 0; i < 2; ++i) {
          in.thread([=, &in] {
            while (vertex* const next = here->ready.pop()) {
              auto& now = static_cast<job&>(*next);
              const bool writes = &now == here->jobs.data();
              for (const job& other : here->jobs) {
                if (&other == &now || !(writes || &other == here->jobs.data())) continue;
                in.expect(other.runs == (writes ? now.runs : now.runs + 1), "out of order");
              }
              ++now.runs;
              graph::finish(now, [&](vertex& then) {
                if (then.arrive() == vertex::arrival::last) here->ready.push(then);
              });
            }
          });
        }
        in.at_end([=, &in] {
          for (const job& each : here->jobs) in.expect(each.runs == times, "a run is missing");
        });
      },
      2);
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

/// Completes vertices of a graph as a thread does that claims what follows, looks at it, and gives
/// it up.
class claimer {
 public:
  explicit claimer(work_list& ready) : ready_(ready) {}

  /// What runs next; null: all is done.
  vertex* next() {
    vertex* const claimed = std::exchange(claimed_, nullptr);
    if (claimed == nullptr) return ready_.pop();
    if (!claimed->take_claimed() && !claimed->unclaim()) return ready_.pop();
    ready_.pass();
    return claimed;
  }
  void finish(vertex& done) {
    graph::finish(done, [&](vertex& next) {
      const auto came = claimed_ == nullptr ? next.arrive_or_claim() : next.arrive();
      if (came == vertex::arrival::claims) claimed_ = &next;
      if (came == vertex::arrival::last) ready_.push(next);
    });
  }

 private:
  work_list& ready_;
  vertex* claimed_ = nullptr;
};

/// Two tasks, and two that wait for both, one of them while it is being inserted.
TEST(claim_interleavings, what_is_claimed_runs_once_and_in_order) {
  struct job : vertex {
    std::array<edge, 2> after;
    bool ran = false;
  };
  struct meeting_place {
    std::array<job, 4> jobs;
    work_list ready{4};
  };
  const exploration all(
      [](schedule& in) {
        const auto here = std::make_shared<meeting_place>();
        for (job& each : here->jobs) each.open();
        const auto insert = [=](std::size_t which) {
          job& late = here->jobs[which];
          std::uint32_t edges = 0;
          for (std::size_t i = 0; i < 2; ++i)
            edges += here->jobs[i].add_successor(late.after[i], late) ? 1U : 0U;
          if (late.commit(edges) == vertex::arrival::last) here->ready.push(late);
        };
        insert(2);
        for (std::size_t i = 0; i < 2; ++i) {
          if (here->jobs[i].commit(0) == vertex::arrival::last) here->ready.push(here->jobs[i]);
        }
        in.thread([=] { insert(3); });
        for (int i = 0; i < 2; ++i) {
          in.thread([=, &in] {
            claimer self(here->ready);
            while (vertex* const next = self.next()) {
              auto& now = static_cast<job&>(*next);
              const bool first = &now < &here->jobs[2];
              in.expect(!now.ran, "a task runs twice");
              in.expect(first || (here->jobs[0].ran && here->jobs[1].ran), "a task runs too early");
              now.ran = true;
              self.finish(now);
            }
          });
        }
        in.at_end([=, &in] {
          for (const job& each : here->jobs) in.expect(each.ran, "a task does not run");
        });
      },
      3);
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

/// A graph that repeats: two that write, of which each reads what the other wrote before.
TEST(claim_interleavings, iterations_do_not_overtake_each_other) {
  constexpr int times = 2;
  struct job : vertex {
    int runs = 0;
  };
  struct meeting_place {
    deed::tasks::recurrent_graph order;
    std::array<job, 4> jobs;
    std::array<int, 4> data{};
    work_list ready{4 * times};
  };
  const exploration all(
      [](schedule& in) {
        const auto here = std::make_shared<meeting_place>();
        for (std::size_t i = 0; i < 4; ++i) {  // Two steps of two points.
          here->jobs[i].open();
          here->order.add(here->jobs[i]);
          here->order.use(&here->data[i], true);
          for (const std::size_t point : {0u, 1u})
            here->order.use(&here->data[i < 2 ? 2 + point : point], false);
        }
        for (vertex* const each : here->order.start(times)) here->ready.push(*each);
        for (int i = 0; i < 2; ++i) {
          in.thread([=, &in] {
            claimer self(here->ready);
            while (vertex* const next = self.next()) {
              auto& now = static_cast<job&>(*next);
              const bool first = &now < &here->jobs[2];
              for (const std::size_t point : {0u, 1u}) {
                const job& other = here->jobs[first ? 2 + point : point];
                in.expect(other.runs == (first ? now.runs : now.runs + 1), "out of order");
              }
              ++now.runs;
              self.finish(now);
            }
          });
        }
        in.at_end([=, &in] {
          for (const job& each : here->jobs) in.expect(each.runs == times, "a run is missing");
        });
      },
      2);
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

TEST(ranked_list_interleavings, what_is_pushed_is_popped_once) {
  struct meeting_place {
    deed::tasks::ranked_list list;
    std::array<vertex, 2> urgent, others;
    std::multiset<vertex*> popped;
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    for (std::size_t i = 0; i < 2; ++i) {
      in.thread([=] {
        here->list.push(here->urgent[i], 1);
        here->list.push(here->others[i], -1);
      });
    }
    in.thread([=] {
      if (vertex* const first = here->list.pop_urgent()) here->popped.insert(first);
      if (vertex* const next = here->list.pop()) here->popped.insert(next);
    });
    in.at_end([=, &in] {
      while (vertex* const next = here->list.pop()) here->popped.insert(next);
      in.expect(here->popped.size() == 4 &&
                    std::set(here->popped.begin(), here->popped.end()).size() == 4,
                "one is lost or popped twice");
      in.expect(here->list.size() == 0, "it looks as if there were more");
    });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

}  // namespace
