// SPDX-License-Identifier: MIT
// Goals of docs/performance_gpu.md, in the virtual time of an emulated device: what the driver adds
// to what the device itself takes by its cost model. That says nothing of hardware.
#include <deed/gpu/driver.hpp>

#include "machine.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace {

using namespace deed::gpu;
using namespace deed::gpu::test;
using std::chrono::nanoseconds;

constexpr std::size_t mib = std::size_t{1} << 20;

device_options timed(std::size_t memory_bytes) {
  device_options options = emulated(1, memory_bytes);
  options.emulated.schedule = emulated_schedule::timed;
  options.check_order = false;
  return options;
}

nanoseconds on_the_link(std::size_t bytes, const emulated_costs& costs) {
  return nanoseconds(static_cast<long long>(static_cast<double>(bytes) / costs.link_bytes_per_ns));
}

/// One device with its own time, and pinned memory that all data share: nobody looks at values.
class machine {
 public:
  machine(std::size_t memory_bytes, std::size_t block_bytes, std::size_t blocks)
      : driver_{device_set{timed(memory_bytes)}}, memory_(block_bytes) {
    for (std::size_t i = 0; i < blocks; ++i) {
      data_.push_back(driver_.hold(
          {memory_.data(), block_bytes, 1, block_bytes, deed::memory_space::pinned}, "block"));
    }
  }

  void submit(std::size_t block, access_mode mode, nanoseconds takes) {
    device_task task;
    task.operands = {{&data_[block], mode}};
    task.body = emulated_body([](std::span<const deed::memory_block>) {}, takes);
    driver_.submit(std::move(task));
  }
  [[nodiscard]] host_lease bring_home(std::size_t block) {
    return driver_.acquire({{&data_[block], access_mode::read}});
  }
  [[nodiscard]] bool all_done() { return settle(driver_, 1'000'000); }
  [[nodiscard]] nanoseconds now() const { return driver_.devices().virtual_time(); }
  driver& its_driver() { return driver_; }

 private:
  driver driver_;
  std::vector<std::byte> memory_;
  std::vector<coherent_datum> data_;
};

/// What is wanted of the bandwidth of the link, on the way there and back.
void copies_are_as_fast_as_the_link(std::size_t bytes, double wanted) {
  const emulated_costs costs;
  machine here(4 * bytes + 16 * mib, bytes, 1);
  const nanoseconds one_way = costs.copy_latency + on_the_link(bytes, costs);
  const nanoseconds kernel(1);
  nanoseconds begin = here.now();
  here.submit(0, access_mode::read_write, kernel);
  ASSERT_TRUE(here.all_done());
  const nanoseconds there = here.now() - begin;
  begin = here.now();
  const host_lease lease = here.bring_home(0);
  ASSERT_TRUE(wait(here.its_driver(), lease, 1'000'000));
  const nanoseconds back = here.now() - begin;
  const auto share = [&](nanoseconds took) {
    return static_cast<double>(one_way.count()) / static_cast<double>(took.count());
  };
  testing::Test::RecordProperty("there_percent", static_cast<int>(100 * share(there)));
  testing::Test::RecordProperty("back_percent", static_cast<int>(100 * share(back)));
  EXPECT_GE(share(there), wanted);
  EXPECT_GE(share(back), wanted);
}

TEST(goal_1, copies_of_64_MiB_take_what_the_link_takes) {
  copies_are_as_fast_as_the_link(64 * mib, 0.97);
}
TEST(goal_1, copies_of_1_MiB_take_little_more) { copies_are_as_fast_as_the_link(mib, 0.90); }

TEST(goal_4, a_chain_of_kernels_takes_what_its_kernels_take) {
  constexpr int links = 10'000;
  const emulated_costs costs;
  machine here(16 * mib, 4096, 1);
  here.submit(0, access_mode::read_write, costs.kernel);
  ASSERT_TRUE(here.all_done());  // It is there.
  const nanoseconds begin = here.now();
  for (int i = 0; i < links; ++i) here.submit(0, access_mode::read_write, costs.kernel);
  ASSERT_TRUE(here.all_done());
  const double share = static_cast<double>((here.now() - begin).count()) /
                       static_cast<double>((links * costs.kernel).count());
  RecordProperty("percent", static_cast<int>(100 * share));
  EXPECT_LE(share, 1.15);
}

/// Data of twice the device's memory go through it, twice. `wanted`: of what the link could do.
void streams_what_does_not_fit(access_mode mode, double wanted) {
  constexpr std::size_t block = 4 * mib, blocks = 32, passes = 2;
  const emulated_costs costs;
  machine here(block * blocks / 2, block, blocks);
  const nanoseconds begin = here.now();
  for (std::size_t pass = 0; pass < passes; ++pass)
    for (std::size_t i = 0; i < blocks; ++i) here.submit(i, mode, nanoseconds(1000));
  ASSERT_TRUE(here.all_done());
  const auto bound = passes * blocks * (costs.copy_latency + on_the_link(block, costs));
  const double share =
      static_cast<double>(bound.count()) / static_cast<double>((here.now() - begin).count());
  testing::Test::RecordProperty("percent", static_cast<int>(100 * share));
  EXPECT_GT(here.its_driver().stats().evictions, blocks / 2);
  EXPECT_GE(share, wanted);
}

TEST(goal_7, twice_the_memory_is_read_at_the_speed_of_the_link) {
  streams_what_does_not_fit(access_mode::read, 0.90);
}
/// In and out at once; bound by the one that is longer.
TEST(goal_7, twice_the_memory_is_changed_at_four_fifths_of_it) {
  streams_what_does_not_fit(access_mode::read_write, 0.80);
}

}  // namespace
