// SPDX-License-Identifier: MIT
// A value that a network reads where it lies, or while it comes home.
#include <deed/gpu/driver.hpp>

#include "machine.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace {

using namespace deed::gpu;
using namespace deed::gpu::test;
constexpr auto read = access_mode::read;
constexpr auto write = access_mode::write;
constexpr auto read_write = access_mode::read_write;
using testing::IsEmpty;

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
