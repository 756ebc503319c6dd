// SPDX-License-Identifier: MIT
// Who reads and writes the home of a datum, and when it is there.
#include <deed/gpu/driver.hpp>

#include "machine.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::gpu;
using namespace deed::gpu::test;
constexpr auto read = access_mode::read;
constexpr auto write = access_mode::write;
using testing::IsEmpty;

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

}  // namespace
