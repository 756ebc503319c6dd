// SPDX-License-Identifier: MIT
#include <deed/gpu/driver.hpp>

#include "machine.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
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

}  // namespace
