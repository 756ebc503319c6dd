// SPDX-License-Identifier: MIT
// One datum on three nodes: every state that events can reach, against the table in coherence.hpp.
#include <deed/gpu/driver.hpp>

#include "machine.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
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
  enum kind { read, write, read_write, prefetch, evict, step } what;
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
      : driver_{device_set{emulated(2, memory, seed)}},
        datum_(driver_.hold(block_of(values_), "datum")),
        bully_(driver_.hold(block_of(large_), "bully")) {}
  ~one_datum() { settle(driver_); }

  void apply(event next) {
    if (next.what == event::step) {
      driver_.step();
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
    return text + (driver_.idle() ? "." : "+");
  }
  bool finish() {
    if (!settle(driver_)) return false;
    auto lease = driver_.acquire({{&datum_, access_mode::read}});
    return wait(driver_, lease) && !lease.error() && values_.front() == value_ &&
           values_.back() == value_ && wrong_ == 0 && driver_.devices().order_reports().empty();
  }

 private:
  static constexpr std::size_t memory = 48 << 10;
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

TEST(coherence, holds_in_every_state_that_a_breadth_first_search_finds) {
  const std::vector<event> events = all_events();
  std::map<std::string, std::vector<event>> reached{{"MII.", {}}};
  std::deque<std::string> open{"MII."};
  std::size_t transitions = 0;
  std::set<std::string> words{"MII."};
  while (!open.empty()) {
    const std::string from = open.front();
    open.pop_front();
    const std::vector<event> path = reached.at(from);
    if (path.size() > 9) continue;
    for (const event next : events) {
      auto now = replay(path, 1);
      now->apply(next);
      ++transitions;
      const std::string to = now->word();
      words.insert(to);
      ASSERT_TRUE(now->finish()) << "after " << from << " and event " << next.what << " at node "
                                 << next.node;
      if (HasFailure()) return;
      if (reached.contains(to)) continue;
      std::vector<event> longer = path;
      longer.push_back(next);
      reached.emplace(to, longer);
      open.push_back(to);
    }
  }
  RecordProperty("transitions", static_cast<int>(transitions));
  // Every combination that the table allows and no other: one M, or S with I and L.
  std::set<std::string> shapes;
  for (const std::string& word : words) shapes.insert(word.substr(0, nodes));
  EXPECT_THAT(shapes, testing::IsSupersetOf(
                          {"MII", "IMI", "IIM", "SSI", "SIS", "ISS", "SSS", "SLI", "SIL"}))
      << testing::PrintToString(shapes);
}

TEST(coherence, holds_on_every_path_of_three_events_with_steps_between) {
  const std::vector<event> events = all_events();
  std::size_t paths = 0;
  for (const event one : events) {
    for (const event two : events) {
      for (const event three : events) {
        for (const int steps : {0, 2}) {
          one_datum now(static_cast<std::uint64_t>(++paths));
          for (const event next : {one, two, three}) {
            now.apply(next);
            now.word();
            for (int i = 0; i < steps; ++i) now.apply({event::step, 0});
          }
          ASSERT_TRUE(now.finish()) << one.what << one.node << " " << two.what << two.node << " "
                                    << three.what << three.node << ", " << steps << " steps";
          if (HasFailure()) return;
        }
      }
    }
  }
}

}  // namespace
