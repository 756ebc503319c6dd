// SPDX-License-Identifier: MIT
// What a driver tells of its work, with the times of the device on the driver's clock.
#include <deed/gpu/driver.hpp>

#include "machine.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::gpu;
using namespace deed::gpu::test;
using std::chrono::nanoseconds;
using testing::ElementsAre;

constexpr std::size_t kib = 1024;

class listener final : public driver_watch {
 public:
  bool wants_copies() noexcept override { return wanted; }
  void ran(const task_seen& what) noexcept override { tasks.push_back(what); }
  void copying(const copy_seen& what) noexcept override {
    begun.push_back(what);
    begun.back().name = {};
  }
  void copied(const copy_seen& what) noexcept override {
    copies.push_back(what);
    names.emplace_back(what.name);
    copies.back().name = {};  // It ends with the call.
  }
  void evicted(const eviction_seen& what) noexcept override { evictions.push_back(what.number); }

  bool wanted = true;
  std::vector<task_seen> tasks;
  std::vector<copy_seen> begun, copies;
  std::vector<std::string> names;
  std::vector<std::uint64_t> evictions;
};

/// A clock that began long before the device's.
class late_clock final : public deed::clock {
 public:
  explicit late_clock(const nanoseconds& of_device) : of_device_(of_device) {}
  [[nodiscard]] nanoseconds now() const noexcept override {
    return std::chrono::hours(1) + of_device_;
  }

 private:
  const nanoseconds& of_device_;
};

/// One emulated device with its own time.
struct machine {
  explicit machine(std::size_t memory_bytes)
      : on(device_set{options(memory_bytes)}, {.time = &time, .watch = &heard}) {}

  static device_options options(std::size_t memory_bytes) {
    device_options wanted = emulated(1, memory_bytes);
    wanted.emulated.schedule = emulated_schedule::timed;
    return wanted;
  }
  void submit(const coherent_datum& datum, access_mode mode, std::uint64_t number,
              std::uint64_t version, nanoseconds takes) {
    device_task task;
    task.number = number;
    task.timed = true;
    task.operands = {{&datum, mode, version}};
    task.body = emulated_body([](std::span<const deed::memory_block>) {}, takes);
    on.submit(std::move(task));
  }
  bool settled() {
    const bool all = settle(on);
    moved = on.devices().virtual_time();
    return all;
  }

  nanoseconds moved{};
  late_clock time{moved};
  listener heard;
  driver on;
};

TEST(watch, is_told_of_copies_and_tasks_with_versions_and_times) {
  machine here(64 * kib);
  std::vector<std::byte> memory(8 * kib);
  const auto datum = here.on.hold(block_of(memory), "grid", deed::place::current(), 17);
  here.submit(datum, access_mode::read_write, 7, 3, nanoseconds(5000));
  ASSERT_TRUE(here.settled());
  const auto lease = here.on.acquire({{&datum, access_mode::read}});
  ASSERT_TRUE(wait(here.on, lease));

  ASSERT_EQ(here.heard.copies.size(), 2u);
  ASSERT_EQ(here.heard.begun.size(), 2u);
  const copy_seen& in = here.heard.copies[0];
  const copy_seen& out = here.heard.copies[1];
  EXPECT_THAT(here.heard.names, ElementsAre("grid", "grid"));
  EXPECT_EQ(std::pair(in.from, in.to), std::pair(-1, 0));
  EXPECT_EQ(std::pair(out.from, out.to), std::pair(0, -1));
  EXPECT_EQ(in.number, 17u);
  EXPECT_EQ(in.bytes, 8 * kib);
  EXPECT_EQ(in.version, 3u);
  EXPECT_EQ(out.version, 4u) << "the task wrote it";
  EXPECT_EQ(in.for_task, 7u);
  EXPECT_EQ(out.for_task, no_number) << "the host asked";
  EXPECT_EQ(here.heard.begun[1].version, 4u);

  ASSERT_EQ(here.heard.tasks.size(), 1u);
  const task_seen& ran = here.heard.tasks[0];
  EXPECT_EQ(ran.number, 7u);
  EXPECT_GE(ran.when.length(), nanoseconds(5000));
  EXPECT_LE(ran.when.length(), nanoseconds(6000)) << "and an event";
  EXPECT_GE(in.when.begin, std::chrono::hours(1)) << "the driver's clock, not the device's";
  EXPECT_LE(in.when.end, ran.when.begin);
  EXPECT_LE(ran.when.end, out.when.begin);
  const auto costs = machine::options(0).emulated.costs;
  EXPECT_GE(in.when.length(), nanoseconds(static_cast<long>(8 * kib / costs.link_bytes_per_ns)));
}

TEST(watch, is_told_why_a_datum_moves_and_what_leaves) {
  machine here(24 * kib);
  std::vector<std::byte> memory(4 * 8 * kib);
  std::vector<coherent_datum> data;
  for (std::uint64_t i = 0; i < 4; ++i) {
    data.push_back(here.on.hold({memory.data() + i * 8 * kib, 8 * kib, 1, 8 * kib}, "d",
                                deed::place::current(), i));
    here.submit(data.back(), access_mode::read_write, i, 0, nanoseconds(1000));
  }
  ASSERT_TRUE(here.settled());
  std::vector<copy_reason> home;
  for (const copy_seen& each : here.heard.copies) {
    if (each.to != -1) continue;
    home.push_back(each.reason);
    EXPECT_EQ(each.version, 1u);
  }
  EXPECT_FALSE(home.empty());
  for (const copy_reason each : home)
    EXPECT_TRUE(each == copy_reason::write_back || each == copy_reason::clean);
  EXPECT_FALSE(here.heard.evictions.empty());
}

TEST(watch, is_told_of_no_copy_that_it_does_not_want) {
  machine here(64 * kib);
  here.heard.wanted = false;
  std::vector<std::byte> memory(8 * kib);
  const auto datum = here.on.hold(block_of(memory), "grid");
  here.submit(datum, access_mode::read_write, 0, 0, nanoseconds(1000));
  ASSERT_TRUE(here.settled());
  EXPECT_TRUE(here.heard.begun.empty());
  EXPECT_TRUE(here.heard.copies.empty());
  EXPECT_EQ(here.heard.tasks.size(), 1u);
}

}  // namespace
