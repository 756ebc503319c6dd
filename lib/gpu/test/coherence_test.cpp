// SPDX-License-Identifier: MIT
// One datum on three nodes: every state that events can reach, against the table in coherence.hpp.
#include <deed/gpu/driver.hpp>

#include "machine.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace deed::gpu;
using namespace deed::gpu::test;

constexpr int nodes = 3;  // The host and two devices.

/// What the program may ask for, at each node; `step` lets the machine do a little.
struct event {
  enum kind { read, write, read_write, prefetch, evict, step, settle } what;
  int node;
};

std::vector<event> all_events() {
  std::vector<event> all{{event::step, 0}};
  for (int node = 0; node < nodes; ++node) {
    for (const auto what : {event::read, event::write, event::read_write})
      all.push_back({what, node});
    if (node > 0) all.push_back({event::prefetch, node});
    if (node > 0) all.push_back({event::evict, node});
  }
  return all;
}

/// One datum and a second one that fills a device, so that the first has to go.
class one_datum {
 public:
  explicit one_datum(std::uint64_t seed)
      : driver_{device_set{emulated(2, 48 << 10, seed)}},
        datum_(driver_.hold(block_of(values_), "datum")),
        bully_(driver_.hold(block_of(large_), "bully")) {}
  ~one_datum() { settle(driver_); }

  void apply(event next) {
    if (next.what == event::step) {
      driver_.step();
      return;
    }
    if (next.what == event::settle) {
      if (!settle(driver_)) ++wrong_;
      return;
    }
    if (next.what == event::prefetch) {
      driver_.prefetch(datum_, device_id{next.node - 1});
      return;
    }
    if (next.what == event::evict) {
      driver_.submit(task_of(next.node - 1, "bully", {{&bully_, access_mode::write}}, [](auto) {}));
      return;
    }
    const auto mode = next.what == event::read    ? access_mode::read
                      : next.what == event::write ? access_mode::write
                                                  : access_mode::read_write;
    const int expected = value_;
    if (writes(mode)) value_ = ++writes_;
    const int fresh = value_;
    const auto body = [this, mode, expected, fresh](std::span<const deed::memory_block> memory) {
      const auto at = as<int>(memory[0]);
      if (reads(mode) && (at.front() != expected || at.back() != expected)) ++wrong_;
      if (writes(mode)) std::fill(at.begin(), at.end(), fresh);
    };
    if (next.node > 0) {
      driver_.submit(task_of(next.node - 1, "task", {{&datum_, mode}}, body));
      return;
    }
    auto lease = driver_.acquire({{&datum_, mode}});
    if (!wait(driver_, lease) || lease.error()) {
      ++wrong_;
      return;
    }
    body(lease.memory());
  }

  /// The states of the nodes, as one word; checks what must hold of them.
  std::string word() {
    std::array<replica_state, nodes> at{driver_.state(datum_), driver_.state(datum_, device_id{0}),
                                        driver_.state(datum_, device_id{1})};
    const auto count = [&](replica_state state) { return std::count(at.begin(), at.end(), state); };
    EXPECT_LE(count(replica_state::modified), 1);
    if (count(replica_state::modified) == 1) {
      EXPECT_EQ(count(replica_state::shared), 0);
    }
    if (count(replica_state::loading) > 0) {
      EXPECT_GT(count(replica_state::shared), 0);
    }
    EXPECT_GT(count(replica_state::shared) + count(replica_state::modified), 0);
    std::string text;
    for (const auto state : at) text += "ILSM"[static_cast<int>(state)];
    return text;
  }
  bool idle() { return driver_.idle(); }
  bool finish() {
    if (!settle(driver_)) return false;
    auto lease = driver_.acquire({{&datum_, access_mode::read}});
    return wait(driver_, lease) && !lease.error() && values_.front() == value_ &&
           values_.back() == value_ && wrong_ == 0 && driver_.devices().order_reports().empty();
  }

 private:
  std::vector<int> values_ = std::vector<int>(2000, 0);
  std::vector<int> large_ = std::vector<int>(11 << 10, 0);
  int value_ = 0, writes_ = 0, wrong_ = 0;
  driver driver_;
  coherent_datum datum_;
  coherent_datum bully_;
};

std::unique_ptr<one_datum> replay(const std::vector<event>& path, std::uint64_t seed) {
  auto made = std::make_unique<one_datum>(seed);
  for (const event next : path) made->apply(next);
  return made;
}

/// Breadth first over the states at rest. From each, every pair of events is tried, with no, one
/// and three steps between them, and every state on the way to rest is checked.
TEST(coherence, holds_in_every_state_that_a_breadth_first_search_finds) {
  const std::vector<event> events = all_events();
  std::map<std::string, std::vector<event>> at_rest{{"MII", {}}};
  std::deque<std::string> open{"MII"};
  std::set<std::string> seen{"MII"};
  int runs = 0, states = 0;
  while (!open.empty()) {
    const std::vector<event> path = at_rest.at(open.front());
    const std::string from = open.front();
    open.pop_front();
    for (const event one : events) {
      for (const event two : events) {
        for (const int between : {0, 1, 3}) {
          SCOPED_TRACE(from + ": " + std::to_string(one.what) + "@" + std::to_string(one.node) +
                       " " + std::to_string(two.what) + "@" + std::to_string(two.node) +
                       ", steps " + std::to_string(between));
          const auto now = replay(path, static_cast<std::uint64_t>(++runs));
          now->apply(one);
          for (int i = 0; i < between; ++i) now->apply({event::step, 0});
          now->apply(two);
          for (int i = 0; i < 4000 && !now->idle(); ++i) {
            seen.insert(now->word());
            now->apply({event::step, 0});
            ++states;
          }
          ASSERT_TRUE(now->idle());
          const std::string to = now->word();
          seen.insert(to);
          if (!at_rest.contains(to)) {
            auto longer = path;
            longer.insert(longer.end(), {one, {event::settle, 0}, two, {event::settle, 0}});
            // Only if the same comes out without haste; else another pair will find it.
            if (replay(longer, 1)->word() == to) {
              at_rest.emplace(to, longer);
              open.push_back(to);
            }
          }
          ASSERT_TRUE(now->finish());
          if (HasFailure()) return;
        }
      }
    }
  }
  RecordProperty("runs", runs);
  RecordProperty("states", states);
  EXPECT_THAT(seen, testing::IsSupersetOf({"MII", "IMI", "IIM", "SSI", "SIS", "SSS", "SLI", "SIL",
                                           "LSI", "LIS", "SLL"}))
      << testing::PrintToString(seen);
  EXPECT_EQ(seen.count("III"), 0u) << "the data went";
}

}  // namespace
