// SPDX-License-Identifier: MIT
#include <deed/gpu/driver.hpp>

#include "machine.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace deed::gpu;
using namespace deed::gpu::test;

TEST(driver, runs_a_task_on_the_device_and_brings_the_result_home) {
  driver driver{device_set{emulated(1, 1 << 20)}};
  std::vector<double> x(1000, 2.0), y(1000, 1.0);
  auto first = driver.hold(block_of(x), "x");
  auto second = driver.hold(block_of(y), "y");
  std::exception_ptr failed;
  bool ended = false;
  auto task = task_of(0, "axpy", {{&first, access_mode::read}, {&second, access_mode::read_write}},
                      [](std::span<const deed::memory_block> memory) {
                        const auto from = as<double>(memory[0]);
                        const auto to = as<double>(memory[1]);
                        for (std::size_t i = 0; i < to.size(); ++i) to[i] += 3 * from[i];
                      });
  task.done = [&](std::exception_ptr error) {
    failed = error;
    ended = true;
  };
  driver.submit(std::move(task));
  EXPECT_FALSE(ended);
  ASSERT_TRUE(settle(driver));
  EXPECT_TRUE(ended);
  EXPECT_EQ(text_of(failed), "");
  EXPECT_EQ(driver.state(second), replica_state::invalid);
  EXPECT_EQ(driver.state(second, device_id{0}), replica_state::modified);
  EXPECT_EQ(driver.state(first), replica_state::shared);
  {
    auto lease = driver.acquire({{&second, access_mode::read}});
    ASSERT_TRUE(wait(driver, lease));
    EXPECT_EQ(text_of(lease.error()), "");
    EXPECT_EQ(y, std::vector<double>(1000, 7.0));
  }
  ASSERT_TRUE(settle(driver));
  EXPECT_THAT(driver.devices().order_reports(), testing::IsEmpty());
  EXPECT_EQ(driver.state(second, device_id{0}), replica_state::shared);
}

constexpr auto read = access_mode::read;
constexpr auto write = access_mode::write;
constexpr auto read_write = access_mode::read_write;
using testing::HasSubstr;
using testing::IsEmpty;
TEST(device_set, says_in_one_line_why_there_are_no_devices) {
  device_options options;
  options.cuda = options.hip = true;
  const device_set found(options);
  if (found.size() > 0) GTEST_SKIP() << found.summary();
  EXPECT_THAT(found.summary(), testing::StartsWith("gpu: no devices (cuda: "));
  EXPECT_THAT(found.summary(), HasSubstr("; hip: "));
  EXPECT_THAT(found.summary(), testing::Not(HasSubstr("\n")));
}

TEST(device_set, names_what_it_found) {
  const device_set found(emulated(2, 4 << 20));
  EXPECT_EQ(found.summary(), "gpu: emulated 0 (4 MiB), emulated 1 (4 MiB)");
}

TEST(driver, refuses_a_task_for_a_device_that_is_not_there) {
  driver driver{device_set{emulated(1, 1 << 20)}};
  std::vector<int> x(10);
  const auto datum = driver.hold(block_of(x), "x");
  try {
    driver.submit(increment(3, datum, "relax"));
    FAIL() << "it was taken";
  } catch (const deed::error& refused) {
    EXPECT_EQ(refused.code(), deed::error_code::no_worker_can_run);
    EXPECT_THAT(refused.what(), HasSubstr("nothing here can run `relax`"));
  }
  EXPECT_TRUE(settle(driver));
}

TEST(driver, refuses_a_datum_that_stands_twice) {
  driver driver{device_set{emulated(1, 1 << 20)}};
  std::vector<int> x(10);
  const auto datum = driver.hold(block_of(x), "x");
  EXPECT_THROW(driver.submit(task_of(0, "t", {{&datum, read}, {&datum, write}}, [](blocks) {})),
               deed::error);
  EXPECT_THROW((void)driver.acquire({{&datum, read}, {&datum, read}}), deed::error);
  EXPECT_TRUE(settle(driver));
}

TEST(driver, launches_a_chain_without_waiting_for_its_links) {
  auto options = emulated(1, 1 << 20);
  options.emulated.schedule = emulated_schedule::timed;
  driver driver{device_set{options}};
  std::vector<int> x(100, 0);
  const auto datum = driver.hold(block_of(x), "x");
  for (int i = 0; i < 50; ++i) driver.submit(increment(0, datum));
  ASSERT_TRUE(settle(driver));
  EXPECT_EQ(driver.stats().tasks, 50u);
  EXPECT_LE(driver.stats().waits, 2u) << "links on one stream need no waits";
  const auto lease = driver.acquire({{&datum, read}});
  ASSERT_TRUE(wait(driver, lease));
  EXPECT_EQ(x[99], 50);
}

TEST(driver, evicts_what_was_not_used_for_long_and_brings_it_home_first) {
  driver driver{device_set{emulated(1, 40 << 10)}};
  std::vector<std::vector<int>> values(6, std::vector<int>(3000, 0));
  std::vector<coherent_datum> data;
  for (auto& each : values) data.push_back(driver.hold(block_of(each), "d"));
  for (int round = 0; round < 3; ++round) {
    for (const auto& datum : data) driver.submit(increment(0, datum));
  }
  ASSERT_TRUE(settle(driver));
  const statistics counted = driver.stats();
  EXPECT_GT(counted.evictions, 0u);
  EXPECT_GT(counted.write_backs + counted.cleanings, 0u);
  EXPECT_LE(driver.usage(device_id{0}).peak_bytes, std::size_t{40} << 10);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto lease = driver.acquire({{&data[i], read}});
    ASSERT_TRUE(wait(driver, lease));
    EXPECT_EQ(values[i], std::vector<int>(3000, 3));
  }
}

TEST(driver, says_how_much_a_task_needs_that_is_too_large) {
  driver driver{device_set{emulated(1, 64 << 10)}};
  std::vector<int> x(15000), y(15000);
  const auto first = driver.hold(block_of(x), "x"), second = driver.hold(block_of(y), "y");
  std::exception_ptr failed;
  auto task = task_of(0, "axpy", {{&first, read}, {&second, read_write}}, [](blocks) {});
  task.done = [&](std::exception_ptr error) { failed = error; };
  driver.submit(std::move(task));
  ASSERT_TRUE(settle(driver));
  EXPECT_EQ(text_of(failed),
            "deed[D009] `axpy` needs 120000 bytes at once; `emulated 0` has 65536\n"
            "  task   `axpy`\n"
            "  bytes  120000\n"
            "  help: use smaller tiles, or add a `cpu` body");
  EXPECT_THROW(std::rethrow_exception(failed), device_capacity_error);
}

TEST(driver, runs_a_task_that_is_too_large_on_the_host_in_its_turn) {
  driver driver{device_set{emulated(1, 64 << 10)}};
  std::vector<int> small(100, 0), large(40000, 0);
  const auto one = driver.hold(block_of(small), "small"),
             two = driver.hold(block_of(large), "large");
  driver.submit(increment(0, one));
  const auto sum = [](blocks memory) { as<int>(memory[1])[0] = as<int>(memory[0])[99]; };
  auto task = task_of(0, "sum", {{&one, read}, {&two, read_write}}, sum);
  task.on_host = sum;
  driver.submit(std::move(task));
  driver.submit(increment(0, one));
  ASSERT_TRUE(settle(driver));
  EXPECT_EQ(large[0], 1);
  EXPECT_EQ(driver.stats().host_tasks, 1u);
}

TEST(driver, leaves_the_data_as_they_were_if_a_body_throws_before_it_enqueues) {
  driver driver{device_set{emulated(1, 1 << 20)}};
  std::vector<int> x(10, 5);
  const auto datum = driver.hold(block_of(x), "x");
  std::exception_ptr failed;
  device_task task;
  task.operands = {{&datum, read_write}};
  task.body = [](enqueue&, std::span<const device_memory>) { throw std::runtime_error("no"); };
  task.done = [&](std::exception_ptr error) { failed = error; };
  driver.submit(std::move(task));
  ASSERT_TRUE(settle(driver));
  EXPECT_EQ(text_of(failed), "no");
  EXPECT_EQ(x, std::vector<int>(10, 5));
  EXPECT_EQ(driver.state(datum, device_id{0}), replica_state::shared);
}

TEST(driver, calls_gone_when_nothing_touches_the_home_any_more) {
  driver driver{device_set{emulated(1, 1 << 20)}};
  std::vector<int> x(5000, 0);
  auto datum = driver.hold(block_of(x), "x");
  bool gone = false;
  driver.submit(increment(0, datum));
  driver.retire(std::move(datum), [&] { gone = true; });
  ASSERT_TRUE(settle(driver));
  driver.step();
  EXPECT_TRUE(gone);
  EXPECT_EQ(driver.report(), "");
  EXPECT_EQ(driver.usage(device_id{0}).used_bytes, 0u);
}

TEST(driver, reports_what_stands_on_its_devices_and_where_it_comes_from) {
  driver driver{device_set{emulated(1, 1 << 20)}};
  std::vector<int> x(256, 0);
  const auto datum = driver.hold(block_of(x), "grid");
  const std::string line = std::to_string(__LINE__ - 1);
  driver.submit(increment(0, datum));
  ASSERT_TRUE(settle(driver));
  EXPECT_EQ(driver.report(),
            "1024 bytes on emulated 0: `grid`, modified, for `increment`, registered at "
            "driver_test.cpp:" +
                line + "\n");
}

TEST(driver, creates_no_event_and_no_slab_in_a_steady_state) {
  driver driver{device_set{emulated(1, 1 << 20)}};
  std::vector<int> x(2000, 0);
  const auto datum = driver.hold(block_of(x), "x");
  const auto round = [&] {
    for (int i = 0; i < 20; ++i) driver.submit(increment(0, datum));
    const auto lease = driver.acquire({{&datum, read_write}});
    EXPECT_TRUE(wait(driver, lease));
  };
  for (int i = 0; i < 3; ++i) round();
  const auto before = driver.stats();
  for (int i = 0; i < 30; ++i) round();
  EXPECT_EQ(driver.stats().events_created, before.events_created);
  EXPECT_EQ(driver.stats().slabs_allocated, before.slabs_allocated);
}

/// Looks for the ends of a chain of 32 tasks, each of which takes a step of the clock or more, once
/// that is known.
std::uint64_t looks_for_a_chain(std::chrono::nanoseconds step) {
  const step_clock time(step);
  driver_options how;
  how.time = &time;
  auto options = emulated(1, 1 << 20);
  options.emulated.schedule = emulated_schedule::threaded;
  driver driver{device_set{options}, how};
  std::vector<int> x(100, 0);
  const auto datum = driver.hold(block_of(x), "x");
  std::atomic<std::uint64_t> ran{0};
  std::uint64_t before = 0;
  for (int round = 0; round < 3; ++round) {
    before = driver.devices().calls(operation::query);
    for (int i = 0; i < 32; ++i) {
      driver.submit(task_of(0, "count", {{&datum, read_write}}, [&ran](blocks) { ++ran; }));
    }
    while (!driver.idle()) {
      driver.step();
      while (ran < driver.devices().calls(operation::launch)) std::this_thread::yield();
    }
  }
  return driver.devices().calls(operation::query) - before;
}

TEST(driver, asks_once_for_many_brief_tasks) {
  using namespace std::chrono_literals;
  EXPECT_LE(looks_for_a_chain(1ns), 8u);
  EXPECT_GE(looks_for_a_chain(1ms), 14u) << "few are on the device at once";
}

/// Three stages of 8 MiB blocks, in, kernel, out, each as long as the others: the time of the
/// longest stage alone, and little more.
TEST(driver, overlaps_copies_in_kernels_and_copies_out) {
  auto options = emulated(1, std::size_t{160} << 20);
  options.emulated.schedule = emulated_schedule::timed;
  options.check_order = false;
  constexpr int count = 40;
  constexpr std::size_t bytes = std::size_t{8} << 20;
  const auto stage = options.emulated.costs.copy_latency +
                     std::chrono::nanoseconds(static_cast<long long>(
                         static_cast<double>(bytes) / options.emulated.costs.link_bytes_per_ns));
  std::vector<std::byte> memory(bytes);
  driver driver{device_set{options}};
  std::vector<coherent_datum> data;
  for (int i = 0; i < count; ++i) {
    data.push_back(
        driver.hold({memory.data(), bytes, 1, bytes, deed::memory_space::pinned}, "block"));
  }
  const auto begin = driver.devices().virtual_time();
  std::vector<host_lease> leases;
  for (const auto& datum : data) {
    device_task task;
    task.operands = {{&datum, read_write}};
    task.body = emulated_body([](blocks) {}, stage);
    driver.submit(std::move(task));
    leases.push_back(driver.acquire({{&datum, read}}));
  }
  for (const auto& lease : leases) ASSERT_TRUE(wait(driver, lease));
  const auto took = driver.devices().virtual_time() - begin;
  const double efficiency =
      static_cast<double>((stage * (count + 2)).count()) / static_cast<double>(took.count());
  RecordProperty("efficiency_percent", static_cast<int>(100 * efficiency));
  EXPECT_GE(efficiency, 0.95);
}

TEST(driver, may_be_stepped_by_several_threads) {
  auto options = emulated(2, 96 << 10);
  options.emulated.schedule = emulated_schedule::threaded;
  driver driver{device_set{options}};
  std::vector<std::vector<int>> values(6, std::vector<int>(2500, 0));
  std::vector<coherent_datum> data;
  for (auto& each : values) data.push_back(driver.hold(block_of(each), "d"));
  std::atomic<int> ended{0};
  std::atomic<bool> stop{false};
  constexpr int tasks = 300;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 3; ++i) {
      workers.emplace_back([&] {
        while (!stop.load()) {
          if (!driver.step()) std::this_thread::yield();
        }
      });
    }
    for (int i = 0; i < tasks; ++i) {
      auto task = increment(i % 2, data[static_cast<std::size_t>(i) % data.size()]);
      task.done = [&](std::exception_ptr error) {
        EXPECT_EQ(text_of(error), "");
        ended.fetch_add(1);
      };
      driver.submit(std::move(task));
    }
    while (ended.load() < tasks) std::this_thread::yield();
    for (std::size_t i = 0; i < data.size(); ++i) {
      const auto lease = driver.acquire({{&data[i], read}});
      while (!lease.ready()) std::this_thread::yield();
      EXPECT_EQ(values[i], std::vector<int>(2500, tasks / 6));
    }
    stop = true;
  }
  ASSERT_TRUE(settle(driver));
  EXPECT_THAT(driver.devices().order_reports(), IsEmpty());
}

TEST(stream, may_end_under_its_work) {
  emulated_leftovers left;
  auto options = emulated(1, 1 << 20);
  options.emulated.leftovers = &left;
  {
    driver driver{device_set{options}};
    {
      const stream own = driver.open_stream(device_id{0});
    }
    for (int i = 0; i < 5; ++i) driver.step();
  }
  EXPECT_EQ(left, emulated_leftovers{});
}

TEST(enqueue, copies_and_fills_in_the_order_of_its_task) {
  driver driver{device_set{emulated(1, 1 << 20)}};
  std::vector<int> x(64, 7), y(64, 0);
  const auto from = driver.hold(block_of(x), "x"), to = driver.hold(block_of(y), "y");
  device_task task;
  task.operands = {{&from, read}, {&to, write}};
  task.body = [](enqueue& queue, std::span<const device_memory> memory) {
    const auto source = memory[0].as<const int>();
    const auto target = memory[1].as<int>();
    copy(queue, target.subspan(0, 32), source.subspan(0, 32));
    queue.fill_bytes({reinterpret_cast<std::byte*>(target.subspan(32, 32).data().address()), 128, 1,
                      128, deed::memory_space::device},
                     0xFF);
    EXPECT_THROW(copy(queue, target.subspan(0, 32), source), deed::error);
  };
  driver.submit(std::move(task));
  const auto lease = driver.acquire({{&to, read}});
  ASSERT_TRUE(wait(driver, lease));
  EXPECT_EQ(y[31], 7);
  EXPECT_EQ(y[32], -1);
}

}  // namespace
