// SPDX-License-Identifier: MIT
// Memory of the host that devices copy at once.
#include <deed/gpu/driver.hpp>

#include "machine.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace {

using namespace deed::gpu;
using namespace deed::gpu::test;
constexpr auto read = access_mode::read;
constexpr auto read_write = access_mode::read_write;
using testing::IsEmpty;

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

}  // namespace
