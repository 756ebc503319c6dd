// SPDX-License-Identifier: MIT
// What a lost device tells, and what goes on without it.
#include <deed/gpu/driver.hpp>

#include "machine.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::gpu;
using namespace deed::gpu::test;
constexpr auto read = access_mode::read;
constexpr auto write = access_mode::write;
constexpr auto read_write = access_mode::read_write;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
      EXPECT_THAT(text, HasSubstr("`task " + std::to_string(i) + "` at loss_test.cpp:"));
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
  EXPECT_THAT(texts[0], HasSubstr("inserted  loss_test.cpp:"));
  EXPECT_THAT(texts[0], HasSubstr("compute-sanitizer"));
  EXPECT_THAT(texts[0], Not(HasSubstr("one of")));
  EXPECT_THAT(texts[0], Not(HasSubstr("because of"))) << "it is itself";
}

TEST(loss, names_the_first_of_many_tasks_and_how_many_more) {
  driver_options how;
  how.depth = 11;
  const auto texts = errors_of(11, how, illegal_access_told_by(operation::query, 1));
  for (const std::string& text : texts) {
    EXPECT_THAT(text, HasSubstr("`task 7` at loss_test.cpp:"));
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

}  // namespace
