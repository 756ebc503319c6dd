// SPDX-License-Identifier: MIT
#include <deed/gpu/driver.hpp>

#include "machine.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <optional>
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
using blocks = std::span<const deed::memory_block>;

/// A task that adds 1 to every int of its datum.
device_task increment(int device, const coherent_datum& datum, std::string name = "increment") {
  return task_of(device, std::move(name), {{&datum, access_mode::read_write}}, [](blocks memory) {
    for (int& value : as<int>(memory[0])) ++value;
  });
}

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

TEST(driver, tells_each_reader_what_was_lost_and_finishes_the_rest) {
  driver driver{device_set{emulated(1, 1 << 20)}};
  std::vector<int> x(10, 5), y(10, 0), z(10, 0);
  const auto bad = driver.hold(block_of(x), "pressure"), out = driver.hold(block_of(y), "flux"),
             other = driver.hold(block_of(z), "other");
  std::vector<std::string> texts(4);
  const auto into = [&](std::size_t i) {
    return [&texts, i](std::exception_ptr e) { texts[i] = text_of(e); };
  };
  auto breaks = task_of(0, "solve", {{&bad, read_write}},
                        [](blocks) { throw std::runtime_error("diverged"); });
  breaks.done = into(0);
  auto depends = task_of(0, "flow", {{&bad, read}, {&out, write}}, [](blocks) {});
  depends.done = into(1);
  auto free_of_it = increment(0, other);
  free_of_it.done = into(2);
  driver.submit(std::move(breaks));
  driver.submit(std::move(depends));
  driver.submit(std::move(free_of_it));
  ASSERT_TRUE(settle(driver));
  EXPECT_EQ(texts[0], "diverged");
  EXPECT_THAT(texts[1], HasSubstr("deed[D011] the contents of `pressure` are lost"));
  EXPECT_THAT(texts[1], HasSubstr("task     `flow`"));
  EXPECT_EQ(texts[2], "");
  {
    const auto lease = driver.acquire({{&bad, read}}, "print");
    ASSERT_TRUE(wait(driver, lease));
    EXPECT_THAT(text_of(lease.error()), HasSubstr("because   diverged"));
    EXPECT_THAT(lease.memory(), IsEmpty());
  }
  // A write makes it good again.
  driver.submit(task_of(0, "fill", {{&bad, write}}, [](blocks memory) {
    for (int& value : as<int>(memory[0])) value = 1;
  }));
  const auto lease = driver.acquire({{&bad, read}}, "print");
  ASSERT_TRUE(wait(driver, lease));
  EXPECT_EQ(text_of(lease.error()), "");
  EXPECT_EQ(x[9], 1);
}

TEST(driver, moves_tasks_of_a_lost_device_to_another_or_to_the_host) {
  for (const int devices : {2, 1}) {
    auto options = emulated(devices, 1 << 20);
    options.faults.rules = {
        {.on = {operation::launch}, .nth = 1, .make = {.what = fault::effect::device_lost}}};
    driver driver{device_set{options}};
    std::vector<int> x(10, 0), y(10, 0);
    const auto one = driver.hold(block_of(x), "x"), two = driver.hold(block_of(y), "y");
    std::string text;
    auto first = increment(0, one, "first");
    first.done = [&](std::exception_ptr error) { text = text_of(error); };
    driver.submit(std::move(first));
    for (int i = 0; i < 8; ++i) {
      auto next = increment(0, two);
      next.on_host = [](blocks memory) {
        for (int& value : as<int>(memory[0])) ++value;
      };
      driver.submit(std::move(next));
    }
    ASSERT_TRUE(settle(driver));
    EXPECT_THAT(text, HasSubstr("deed[D011] `emulated 0` is lost: device lost"));
    EXPECT_THAT(text, HasSubstr("`first`"));
    EXPECT_FALSE(driver.usable(device_id{0}));
    const auto lease = driver.acquire({{&two, read}});
    ASSERT_TRUE(wait(driver, lease));
    EXPECT_EQ(y[0], 8);
    EXPECT_EQ(driver.stats().devices_lost, 1u);
    EXPECT_EQ(driver.stats().host_tasks, devices == 1 ? 8u : 0u);
  }
}

TEST(host_lease, holds_back_writers_until_it_ends) {
  driver driver{device_set{emulated(1, 1 << 20)}};
  std::vector<int> x(10, 0);
  const auto datum = driver.hold(block_of(x), "x");
  bool ended = false;
  {
    const auto lease = driver.acquire({{&datum, read}});
    EXPECT_FALSE(lease.ready());
    EXPECT_THAT(lease.memory(), IsEmpty());
    ASSERT_TRUE(wait(driver, lease));
    EXPECT_EQ(lease.memory()[0].address, reinterpret_cast<std::byte*>(x.data()));
    auto task = increment(0, datum);
    task.done = [&](std::exception_ptr) { ended = true; };
    driver.submit(std::move(task));
    for (int i = 0; i < 200; ++i) driver.step();
    EXPECT_FALSE(ended);
    EXPECT_FALSE(driver.idle());
  }
  ASSERT_TRUE(settle(driver));
  EXPECT_TRUE(ended);
}

TEST(host_lease, is_withdrawn_if_it_ends_before_it_was_granted) {
  driver driver{device_set{emulated(1, 1 << 20)}};
  std::vector<int> x(10, 0);
  const auto datum = driver.hold(block_of(x), "x");
  bool granted = false;
  driver.submit(increment(0, datum));
  {
    const auto lease = driver.acquire({{&datum, write}}, "host", [&] { granted = true; });
  }
  driver.submit(increment(0, datum));
  ASSERT_TRUE(settle(driver));
  EXPECT_FALSE(granted);
  const auto lease = driver.acquire({{&datum, read}});
  ASSERT_TRUE(wait(driver, lease));
  EXPECT_EQ(x[0], 2);
}

class read_at_home : public testing::TestWithParam<bool> {
 protected:
  read_at_home() : driver_(device_set{checked()}), datum_(driver_.hold(block_of(x_), "x")) {
    driver_.step();  // The driver knows it.
  }
  static device_options checked() {
    device_options options = emulated(1, 1 << 20);
    options.check_order = GetParam();
    return options;
  }
  host_lease lend() { return driver_.acquire({{&datum_, read}}); }

  std::vector<int> x_ = std::vector<int>(10, 0);
  driver driver_;
  coherent_datum datum_;
};

TEST_P(read_at_home, is_granted_at_once_and_keeps_writers_away) {
  {
    const auto lease = lend();
    ASSERT_TRUE(lease.ready());
    EXPECT_EQ(lease.memory()[0].address, reinterpret_cast<std::byte*>(x_.data()));
    EXPECT_EQ(lease.arrived(), 10 * sizeof(int));
    EXPECT_EQ(lease.error(), nullptr);
    EXPECT_FALSE(driver_.idle());
    driver_.submit(increment(0, datum_));
    for (int i = 0; i < 200; ++i) driver_.step();
    EXPECT_EQ(driver_.state(datum_), replica_state::shared);  // Fetched ahead, not written.
    EXPECT_FALSE(lend().ready());                             // The writer was first.
  }
  EXPECT_TRUE(driver_.asked() || driver_.step());  // Whoever sleeps until somebody asks is woken.
  ASSERT_TRUE(settle(driver_));
  const auto after = lend();
  ASSERT_TRUE(wait(driver_, after));
  EXPECT_EQ(x_, std::vector<int>(10, 1));
  EXPECT_THAT(driver_.devices().order_reports(), IsEmpty());
}

TEST_P(read_at_home, waits_for_a_writer_that_no_step_has_seen) {
  driver_.submit(increment(0, datum_));
  const auto lease = lend();
  EXPECT_FALSE(lease.ready());
  ASSERT_TRUE(wait(driver_, lease));
  EXPECT_EQ(x_[0], 1);
}

TEST_P(read_at_home, tells_in_the_next_step_that_it_was_granted) {
  bool granted = false;
  const auto lease = driver_.acquire({{&datum_, read}}, "host", [&] { granted = true; });
  ASSERT_TRUE(lease.ready());
  EXPECT_FALSE(granted);
  EXPECT_TRUE(driver_.asked());
  driver_.step();
  EXPECT_TRUE(granted);
}

TEST_P(read_at_home, keeps_the_home_until_it_ends) {
  bool gone = false;
  {
    const auto lease = lend();
    ASSERT_TRUE(lease.ready());
    driver_.retire(std::move(datum_), [&] { gone = true; });
    for (int i = 0; i < 20; ++i) driver_.step();
    EXPECT_FALSE(gone);
  }
  EXPECT_TRUE(driver_.asked());
  ASSERT_TRUE(settle(driver_));
  driver_.step();
  EXPECT_TRUE(gone);
}

TEST_P(read_at_home, may_end_after_the_driver) {
  std::optional<host_lease> lease;
  {
    driver short_lived{device_set{checked()}};
    const auto datum = short_lived.hold(block_of(x_), "x");
    short_lived.step();
    lease.emplace(short_lived.acquire({{&datum, read}}));
    ASSERT_TRUE(lease->ready());
  }
  lease.reset();
}

INSTANTIATE_TEST_SUITE_P(order_is, read_at_home, testing::Bool(), [](const auto& which) {
  return std::string(which.param ? "checked" : "not_checked");
});

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

/// Texts of the errors of some tasks on one device, in their order; "" where there is none.
std::vector<std::string> errors_of(std::size_t count, driver_options how, fault_rule broken) {
  auto options = emulated(1, 1 << 20);
  options.faults.rules = {std::move(broken)};
  driver driver{device_set{options}, how};
  std::vector<std::vector<int>> x(count, std::vector<int>(100));
  std::vector<coherent_datum> data;
  for (auto& each : x) data.push_back(driver.hold(block_of(each), "x"));
  std::vector<std::string> texts(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto task = increment(0, data[i], "task " + std::to_string(i));
    task.where = deed::place::current();
    task.operands[0].mode = write;  // Nothing is copied: they are launched in one step.
    task.done = [&texts, i](const std::exception_ptr& error) { texts[i] = text_of(error); };
    driver.submit(std::move(task));
  }
  EXPECT_TRUE(settle(driver));
  return texts;
}

/// A kernel went where it must not: the n-th call of this kind says so.
fault_rule illegal_access_told_by(operation told_by, std::uint64_t nth) {
  return {.on = {told_by},
          .nth = nth,
          .make = {.what = fault::effect::fail, .kind = error_kind::illegal_access}};
}

TEST(loss, names_all_tasks_that_it_may_have_been) {
  const auto texts = errors_of(4, {}, illegal_access_told_by(operation::query, 1));
  for (const std::string& text : texts) {
    EXPECT_THAT(text, HasSubstr("one of"));
    for (int i = 0; i < 4; ++i)
      EXPECT_THAT(text, HasSubstr("`task " + std::to_string(i) + "` at driver_test.cpp:"));
    EXPECT_THAT(text, HasSubstr("DEED_GPU_SYNC=1"));
  }
}

TEST(loss, names_the_task_if_each_was_waited_for) {
  driver_options how;
  how.synchronous = true;
  const auto texts = errors_of(4, how, illegal_access_told_by(operation::sync_stream, 3));
  EXPECT_EQ(texts[0], "");
  EXPECT_EQ(texts[1], "");
  EXPECT_THAT(texts[2], HasSubstr("task      `task 2`"));
  EXPECT_THAT(texts[2], HasSubstr("compute-sanitizer"));
  EXPECT_THAT(texts[2], Not(HasSubstr("one of")));
  EXPECT_THAT(texts[3], HasSubstr("is lost"));
}

TEST(loss, names_the_only_task_that_ran) {
  const auto texts = errors_of(1, {}, illegal_access_told_by(operation::query, 1));
  EXPECT_THAT(texts[0], HasSubstr("task      `task 0`"));
  EXPECT_THAT(texts[0], HasSubstr("inserted  driver_test.cpp:"));
  EXPECT_THAT(texts[0], HasSubstr("compute-sanitizer"));
  EXPECT_THAT(texts[0], Not(HasSubstr("one of")));
  EXPECT_THAT(texts[0], Not(HasSubstr("because of"))) << "it is itself";
}

TEST(loss, names_the_first_of_many_tasks_and_how_many_more) {
  driver_options how;
  how.depth = 11;
  const auto texts = errors_of(11, how, illegal_access_told_by(operation::query, 1));
  for (const std::string& text : texts) {
    EXPECT_THAT(text, HasSubstr("`task 7` at driver_test.cpp:"));
    EXPECT_THAT(text, HasSubstr(", and 3 more\n"));
    EXPECT_THAT(text, Not(HasSubstr("`task 8`")));
  }
}

/// The launch that finds it may not have done it: those before it ran, too.
TEST(loss, that_a_launch_finds_is_not_blamed_on_its_task) {
  const auto texts = errors_of(4, {}, illegal_access_told_by(operation::last_error, 3));
  for (std::size_t i = 0; i < 3; ++i) {
    for (const char* const each : {"`task 0`", "`task 1`", "`task 2`"})
      EXPECT_THAT(texts[i], HasSubstr(each)) << i;
    EXPECT_THAT(texts[i], HasSubstr("one of")) << i;
    EXPECT_THAT(texts[i], Not(HasSubstr("`task 3`"))) << "it was not launched";
  }
  EXPECT_THAT(texts[3], HasSubstr("is lost"));
  EXPECT_THAT(texts[3], Not(HasSubstr("one of")));
}

TEST(loss, that_a_launch_finds_is_of_its_task_if_those_before_were_waited_for) {
  driver_options how;
  how.synchronous = true;
  const auto texts = errors_of(4, how, illegal_access_told_by(operation::last_error, 3));
  EXPECT_EQ(texts[0], "");
  EXPECT_EQ(texts[1], "");
  EXPECT_THAT(texts[2], HasSubstr("task      `task 2`"));
  EXPECT_THAT(texts[2], Not(HasSubstr("one of")));
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

/// Chunks go through memory of the driver; pinned memory goes as it lies.
TEST(driver, copies_pinned_memory_in_one_piece) {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  const auto copies = [](bool pins) {
    driver_options wanted;
    wanted.chunk_bytes = bytes / 8;
    wanted.pin_from_bytes = 0;
    std::vector<std::byte> memory(2 * bytes);
    driver driver{device_set{emulated(1, std::size_t{4} << 20)}, wanted};
    if (pins) {
      EXPECT_TRUE(driver.pin(memory));
      EXPECT_FALSE(driver.pin(memory)) << "it is pinned";
    }
    // In the middle of it.
    const auto datum = driver.hold({memory.data() + bytes / 2, bytes, 1, bytes}, "block");
    device_task task;
    task.operands = {{&datum, read_write}};
    task.body = emulated_body([](blocks) {}, {});
    driver.submit(std::move(task));
    const host_lease lease = driver.acquire({{&datum, read}});
    EXPECT_TRUE(wait(driver, lease));
    const device_set& all = driver.devices();
    return all.calls(operation::copy_to_device) + all.calls(operation::copy_to_host);
  };
  EXPECT_EQ(copies(false), 16u);
  EXPECT_EQ(copies(true), 2u);
}

TEST(driver, lets_go_of_pinned_memory) {
  std::vector<std::byte> memory(4096);
  {
    driver first{device_set{emulated(1, std::size_t{1} << 20)}};
    EXPECT_TRUE(first.pin(memory));
    first.unpin(memory.data());
    EXPECT_TRUE(first.pin(memory));
    EXPECT_FALSE(first.pin({}));
  }
  driver second{device_set{emulated(1, std::size_t{1} << 20)}};
  EXPECT_TRUE(second.pin(memory));
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

/// A value of 3.0 on device 0 alone, and the network that reads it.
class sent_value : public testing::Test {
 protected:
  static device_options with_network(emulated_network network) {
    device_options options = emulated(1, 1 << 20);
    options.emulated.network = network;
    return options;
  }
  void write_there(driver& driver, double value) {
    driver.submit(
        task_of(0, "fill", {{&*datum, write}}, [value](std::span<const deed::memory_block> memory) {
          std::ranges::fill(as<double>(memory[0]), value);
        }));
  }
  std::vector<double> home = std::vector<double>(1000, 0.0);
  std::optional<coherent_datum> datum;
};

TEST_F(sent_value, is_read_on_the_device_behind_the_task_that_writes_it) {
  driver driver{device_set{with_network(emulated_network::reads)}};
  datum.emplace(driver.hold(block_of(home), "x"));
  write_there(driver, 3.0);
  {
    const auto lease = driver.acquire_to_send(*datum, 1);
    write_there(driver, 4.0);  // It waits for the network.
    ASSERT_TRUE(wait(driver, lease));
    ASSERT_EQ(lease.memory().size(), 1u);
    EXPECT_EQ(lease.memory()[0].space, deed::memory_space::device);
    for (int i = 0; i < 1000; ++i) (void)driver.step();
    EXPECT_THAT(as<double>(lease.memory()[0]), testing::Each(3.0));
    EXPECT_EQ(home, std::vector<double>(1000, 0.0));
  }
  ASSERT_TRUE(settle(driver));
  EXPECT_EQ(driver.stats().bytes_to_network, 8000u);
  EXPECT_EQ(driver.stats().bytes_to_host, 0u);
  const auto lease = driver.acquire({{&*datum, read}});
  ASSERT_TRUE(wait(driver, lease));
  EXPECT_EQ(home, std::vector<double>(1000, 4.0));
  EXPECT_THAT(driver.devices().order_reports(), IsEmpty());
}

TEST_F(sent_value, comes_home_first_where_the_network_cannot_read_it) {
  for (const std::uint64_t devices : {std::uint64_t{0}, std::uint64_t{1}}) {
    home.assign(1000, 0.0);
    driver driver{device_set{with_network(emulated_network::none)}};
    datum.emplace(driver.hold(block_of(home), "x"));
    write_there(driver, 3.0);
    const auto lease = driver.acquire_to_send(*datum, devices);
    ASSERT_TRUE(wait(driver, lease));
    EXPECT_EQ(lease.memory()[0].space, deed::memory_space::host);
    EXPECT_EQ(home, std::vector<double>(1000, 3.0));
    EXPECT_EQ(driver.stats().bytes_to_network, 0u);
    datum.reset();
  }
}

TEST_F(sent_value, leaves_from_home_if_it_is_there_as_well) {
  driver driver{device_set{with_network(emulated_network::reads)}};
  datum.emplace(driver.hold(block_of(home), "x"));
  const auto lease = driver.acquire_to_send(*datum, 1);
  ASSERT_TRUE(wait(driver, lease));
  EXPECT_EQ(lease.memory()[0].space, deed::memory_space::host);
}

TEST_F(sent_value, is_not_evicted_while_the_network_reads_it) {
  device_options options = with_network(emulated_network::reads);
  options.emulated.memory_bytes = 128 * 1024;  // Two of them do not fit.
  home.resize(10'000);
  driver driver{device_set{options}};
  datum.emplace(driver.hold(block_of(home), "x"));
  std::vector<double> more(10'000, 1.0);
  const auto other = driver.hold(block_of(more), "y");
  write_there(driver, 3.0);
  auto lease = std::make_unique<host_lease>(driver.acquire_to_send(*datum, 1));
  ASSERT_TRUE(wait(driver, *lease));
  bool done = false;
  device_task task =
      task_of(0, "bump", {{&other, read_write}}, [](std::span<const deed::memory_block>) {});
  task.done = [&](std::exception_ptr) { done = true; };
  driver.submit(std::move(task));
  for (int i = 0; i < 1000; ++i) (void)driver.step();
  EXPECT_THAT(as<double>(lease->memory()[0]), testing::Each(3.0));
  lease.reset();
  ASSERT_TRUE(settle(driver));
  EXPECT_TRUE(done);
}

/// The k-th call fails, for every k: the network gets the value, or an error, and nothing is left.
TEST_F(sent_value, arrives_or_is_told_lost_whatever_fails) {
  for (const auto effect : {fault::effect::device_lost, fault::effect::fail}) {
    for (std::uint64_t k = 1; k < 60; ++k) {
      home.assign(1000, 0.0);
      device_options options = with_network(emulated_network::reads);
      emulated_leftovers left;
      options.emulated.leftovers = &left;
      // Not `release`: what is not released stays.
      options.faults.rules = {
          {.on = {operation::set_device, operation::allocate, operation::create_stream,
                  operation::create_event, operation::record, operation::wait, operation::query,
                  operation::last_error, operation::launch},
           .nth = k,
           .make = {.what = effect, .kind = error_kind::copy_failed}}};
      {
        driver driver{device_set{options}};
        if (driver.devices().size() == 0) continue;
        datum.emplace(driver.hold(block_of(home), "x"));
        write_there(driver, 3.0);
        {
          const auto lease = driver.acquire_to_send(*datum, 1);
          ASSERT_TRUE(wait(driver, lease)) << k;
          if (!lease.error()) {
            EXPECT_THAT(as<double>(lease.memory()[0]), testing::Each(3.0)) << k;
          }
          for (int i = 0; i < 100; ++i) (void)driver.step();
        }
        ASSERT_TRUE(settle(driver)) << k;
        datum.reset();
      }
      EXPECT_EQ(left.allocations, 0u) << k;
    }
  }
}

/// A datum of 2 MiB that goes to a device and comes back, as often as asked.
class pinned_home : public testing::Test {
 protected:
  void hold(driver& driver, bool stays = true) {
    datum.emplace(driver.hold(block_of(home), "x", deed::place::current(), 0, stays));
  }
  void fetch(driver& driver) {
    const auto lease = driver.acquire({{&*datum, read}});
    ASSERT_TRUE(wait(driver, lease));
  }
  void bump(driver& driver) {
    driver.submit(
        task_of(0, "bump", {{&*datum, read_write}}, [](std::span<const deed::memory_block> memory) {
          for (double& each : as<double>(memory[0])) each += 1;
        }));
    ASSERT_TRUE(settle(driver));
  }
  std::vector<double> home = std::vector<double>(std::size_t{2} << 17, 0.0);
  std::optional<coherent_datum> datum;
};

TEST_F(pinned_home, is_pinned_at_the_second_copy_and_let_go_before_its_end) {
  driver driver{device_set{emulated(1, std::size_t{8} << 20)}};
  hold(driver);
  bump(driver);
  EXPECT_EQ(driver.stats().pinned_homes, 0u);
  EXPECT_EQ(driver.devices().calls(operation::register_host), 0u);
  fetch(driver);
  EXPECT_EQ(driver.stats().pinned_homes, 1u);
  EXPECT_EQ(home, std::vector<double>(home.size(), 1.0));
  const std::uint64_t copies = driver.stats().copies;
  bump(driver);  // The device's copy is valid.
  fetch(driver);
  EXPECT_EQ(driver.stats().copies, copies + 1);  // In one piece, from now on.
  EXPECT_EQ(home, std::vector<double>(home.size(), 2.0));
  EXPECT_EQ(driver.devices().calls(operation::register_host), 1u);
  std::uint64_t unpinned = 0;
  driver.retire(std::move(*datum),
                [&] { unpinned = driver.devices().calls(operation::unregister_host); });
  ASSERT_TRUE(settle(driver));
  for (int i = 0; i < 10; ++i) (void)driver.step();
  EXPECT_EQ(unpinned, 1u);
  EXPECT_THAT(driver.devices().order_reports(), IsEmpty());
}

TEST_F(pinned_home, is_left_alone_if_it_is_small_may_move_or_nobody_wants_it) {
  for (const int why : {0, 1, 2}) {
    driver_options wanted;
    if (why == 0) wanted.pin_from_bytes = std::size_t{4} << 20;
    if (why == 1) wanted.pin_from_bytes = 0;
    driver driver{device_set{emulated(1, std::size_t{8} << 20)}, wanted};
    hold(driver, why != 2);
    for (int i = 0; i < 3; ++i) {
      bump(driver);
      fetch(driver);
    }
    EXPECT_EQ(driver.stats().pinned_homes, 0u) << why;
    EXPECT_EQ(driver.devices().calls(operation::register_host), 0u) << why;
    datum.reset();
  }
}

TEST_F(pinned_home, may_be_refused) {
  device_options options = emulated(1, std::size_t{8} << 20);
  options.faults.rules = {{.on = {operation::register_host},
                           .every = 1,
                           .make = {.what = fault::effect::fail, .kind = error_kind::invalid}}};
  driver driver{device_set{options}};
  hold(driver);
  for (int i = 0; i < 3; ++i) {
    bump(driver);
    fetch(driver);
  }
  EXPECT_EQ(home, std::vector<double>(home.size(), 3.0));
  EXPECT_EQ(driver.stats().pinned_homes, 0u);
  EXPECT_EQ(driver.devices().calls(operation::register_host), 1u);  // It is not asked again.
}

/// The front is of use before the end is there, staged or pinned, and what was said to be there is.
TEST(a_value_for_the_network, may_be_used_while_it_comes_home) {
  for (const auto space : {deed::memory_space::host, deed::memory_space::pinned}) {
    driver_options wanted;
    wanted.pieces_from_bytes = 8 * sizeof(double);
    wanted.chunk_bytes = 4096;
    wanted.chunks = 2;
    driver driver{device_set{emulated(1, 1 << 20)}, wanted};
    std::vector<double> home(10'000, 0.0);
    deed::memory_block block = block_of(home);
    block.space = space;
    const auto datum = driver.hold(block, "x");
    driver.submit(
        task_of(0, "fill", {{&datum, write}}, [](std::span<const deed::memory_block> memory) {
          std::ranges::fill(as<double>(memory[0]), 3.0);
        }));
    std::size_t steps_between = 0, last = 0;
    {
      const auto lease = driver.acquire_to_send(datum, 0);
      ASSERT_TRUE(wait(driver, lease));
      EXPECT_LT(lease.arrived(), block.bytes());
      while (lease.arrived() < block.bytes()) {
        ASSERT_GE(lease.arrived(), last);
        steps_between += lease.arrived() > last ? 1U : 0U;
        last = lease.arrived();
        for (std::size_t i = 0; i < last / sizeof(double); ++i) ASSERT_EQ(home[i], 3.0);
        (void)driver.step();
      }
      EXPECT_EQ(lease.memory()[0].address, block.address);
    }
    EXPECT_GE(steps_between, 10u);
    EXPECT_EQ(home, std::vector<double>(10'000, 3.0));
    ASSERT_TRUE(settle(driver));
    EXPECT_THAT(driver.devices().order_reports(), IsEmpty());
  }
}

}  // namespace
