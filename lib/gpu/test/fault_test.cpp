// SPDX-License-Identifier: MIT
// Every call of a workload fails once; what comes out is right, or says what was lost.
#include <deed/gpu/driver.hpp>

#include "machine.hpp"
#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace deed::gpu;
using namespace deed::gpu::test;
using testing::IsEmpty;

constexpr auto read = access_mode::read;
constexpr auto write = access_mode::write;
constexpr auto read_write = access_mode::read_write;

struct workload {
  std::string name;
  program plan;
  int devices = 1;
};

program chain() {
  program plan{.sizes = {500}, .memory_bytes = 64 << 10};
  for (int i = 0; i < 6; ++i)
    plan.steps.push_back({0, {{0, read_write}}, static_cast<std::uint64_t>(i)});
  return plan;
}

program stencil() {
  program plan{.sizes = {300, 300, 300, 300}, .memory_bytes = 256 << 10, .pinned_homes = true};
  for (std::uint64_t step = 0; step < 2; ++step) {
    for (std::size_t i = 0; i < 4; ++i) {
      plan.steps.push_back({0, {{i, read_write}, {(i + 1) % 4, read}, {(i + 3) % 4, read}}, step});
    }
  }
  return plan;
}

program reduction() {
  program plan{.sizes = {400, 400, 400, 400, 1}, .memory_bytes = 64 << 10};
  for (std::size_t i = 0; i < 4; ++i) plan.steps.push_back({0, {{i, write}}, i});
  for (std::size_t i = 0; i < 4; ++i) plan.steps.push_back({0, {{i, read}, {4, read_write}}, i});
  plan.steps.push_back({-1, {{4, read_write}}, 9});
  return plan;
}

program churn() {
  program plan{.memory_bytes = 24 << 10};  // Two data and a half.
  for (int i = 0; i < 5; ++i) plan.sizes.push_back(1200);
  for (std::uint64_t i = 0; i < 8; ++i)
    plan.steps.push_back({0, {{i % 5, read_write}, {(i + 2) % 5, read}}, i});
  return plan;
}

program several() {
  program plan{.sizes = {600, 600, 600}, .memory_bytes = 64 << 10};
  for (std::uint64_t i = 0; i < 9; ++i) {
    plan.steps.push_back({static_cast<int>(i % 3), {{i % 3, read_write}, {(i + 1) % 3, read}}, i});
  }
  return plan;
}

std::vector<workload> workloads() {
  return {{"chain", chain(), 1},
          {"stencil", stencil(), 1},
          {"reduction", reduction(), 1},
          {"churn", churn(), 1},
          {"several", several(), 3}};
}

struct sweep_result {
  std::uint64_t runs = 0;
  std::uint64_t with_errors = 0;
};

void sweep(const workload& work, bool fallback, fault make, sweep_result& all) {
  device_options clean = emulated(work.devices, work.plan.memory_bytes, 5);
  const outcome reference = run(work.plan, clean, fallback);
  ASSERT_EQ(reference.problem, "");
  ASSERT_EQ(reference.values, sequential(work.plan));
  for (std::uint64_t k = 1; k <= reference.calls; ++k) {
    device_options options = clean;
    options.faults.rules = {{.nth = k, .make = make}};
    outcome seen;
    try {
      seen = run(work.plan, options, fallback);
    } catch (const deed::error&) {
      continue;  // The device was refused at the start, with no such device for the task: D812.
    }
    ++all.runs;
    all.with_errors += !seen.errors.empty();
    SCOPED_TRACE(work.name + ", fault at call " + std::to_string(k));
    ASSERT_EQ(seen.problem, "");
    const values expected = without_failures(work.plan, seen);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!seen.lost[i]) {
        ASSERT_EQ(seen.values[i], expected[i]) << "datum " << i;
      }
    }
    for (const std::string& text : seen.errors) ASSERT_EQ(text.rfind("deed[D0", 0), 0u) << text;
  }
}

using kind_and_workload = std::tuple<error_kind, std::size_t>;
struct single_fault : testing::TestWithParam<kind_and_workload> {};

TEST_P(single_fault, at_any_call_leaves_a_right_result_or_a_clean_error) {
  const auto [kind, which] = GetParam();
  const workload work = workloads()[which];
  sweep_result all;
  for (const bool fallback : {false, true}) {
    sweep(work, fallback, {.what = fault::effect::fail, .kind = kind}, all);
  }
  RecordProperty("runs", static_cast<int>(all.runs));
  RecordProperty("with_errors", static_cast<int>(all.with_errors));
}

INSTANTIATE_TEST_SUITE_P(
    everywhere, single_fault,
    testing::Combine(testing::Values(error_kind::out_of_memory, error_kind::invalid,
                                     error_kind::launch_failed, error_kind::copy_failed,
                                     error_kind::device_lost),
                     testing::Range<std::size_t>(0, 5)));

TEST(failed_allocation, is_survived_without_an_error) {
  for (const workload& work : workloads()) {
    for (std::uint64_t k = 1; k <= 12; ++k) {
      device_options options = emulated(work.devices, work.plan.memory_bytes, k);
      options.faults.rules = {{.on = {operation::allocate, operation::allocate_pinned},
                               .nth = k,
                               .make = {.kind = error_kind::out_of_memory}}};
      const outcome seen = run(work.plan, options);
      ASSERT_EQ(seen.problem, "") << work.name << ", allocation " << k;
      ASSERT_THAT(seen.errors, IsEmpty()) << work.name << ", allocation " << k;
      ASSERT_EQ(seen.values, sequential(work.plan)) << work.name << ", allocation " << k;
    }
  }
}

TEST(failed_copy, is_tried_again) {
  for (const workload& work : workloads()) {
    device_options options = emulated(work.devices, work.plan.memory_bytes);
    options.faults.rules = {{.on = {operation::copy_to_device, operation::copy_to_host},
                             .every = 2,
                             .make = {.kind = error_kind::copy_failed}}};
    const outcome seen = run(work.plan, options);
    ASSERT_EQ(seen.problem, "") << work.name;
    ASSERT_THAT(seen.errors, IsEmpty()) << work.name << seen.errors.front();
    ASSERT_EQ(seen.values, sequential(work.plan)) << work.name;
    EXPECT_GT(seen.counters.retried_copies, 0u) << work.name;
  }
}

TEST(slow_copy, changes_no_result) {
  for (const workload& work : workloads()) {
    device_options options = emulated(work.devices, work.plan.memory_bytes);
    options.faults.rules = {
        {.on = {operation::copy_to_device, operation::copy_to_host},
         .every = 2,
         .make = {.what = fault::effect::delay, .by = std::chrono::milliseconds(1)}}};
    const outcome seen = run(work.plan, options);
    ASSERT_EQ(seen.problem, "") << work.name;
    ASSERT_EQ(seen.values, sequential(work.plan)) << work.name;
  }
}

/// A clock that runs while nothing else does.
class impatient_clock final : public deed::clock {
 public:
  std::chrono::nanoseconds now() const noexcept override {
    return now_ += std::chrono::milliseconds(1);
  }

 private:
  mutable std::chrono::nanoseconds now_{};
};

TEST(stuck_work, ends_as_a_lost_device) {
  for (const workload& work : workloads()) {
    for (const operation op :
         {operation::copy_to_device, operation::launch, operation::copy_to_host}) {
      device_options options = emulated(work.devices, work.plan.memory_bytes);
      options.faults.rules = {{.on = {op}, .nth = 1, .make = {.what = fault::effect::stuck}}};
      const impatient_clock time;
      driver_options how;
      how.time = &time;
      how.patience = std::chrono::seconds(5);
      const outcome seen = run_on(work.plan, options, true, how);
      ASSERT_EQ(seen.problem, "") << work.name;
      EXPECT_EQ(seen.counters.devices_lost, seen.faults) << work.name << ", " << to_string(op);
      const values expected = without_failures(work.plan, seen);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!seen.lost[i]) {
          ASSERT_EQ(seen.values[i], expected[i]) << work.name << i;
        }
      }
    }
  }
}

/// Without the k-th wait or record, either two accesses are found unordered, or nobody needed it:
/// the order holds on another path, and the result is right.
TEST(dropped_order, is_found) {
  std::uint64_t runs = 0, reported = 0, harmless = 0;
  for (const workload& work : workloads()) {
    for (const operation op : {operation::wait, operation::record}) {
      for (std::uint64_t k = 1; k < 200; ++k) {
        device_options options = emulated(work.devices, work.plan.memory_bytes, 3);
        options.faults.rules = {{.on = {op}, .nth = k, .make = {.what = fault::effect::drop}}};
        const outcome seen = run_on(work.plan, options);
        ASSERT_EQ(seen.problem, "") << work.name << ", " << to_string(op) << " " << k;
        if (seen.faults == 0) break;
        ++runs;
        const bool right = seen.values == sequential(work.plan);
        if (!seen.unordered.empty()) {
          ++reported;
        } else if (right) {
          ++harmless;
        } else {
          ADD_FAILURE() << "a wrong result that nobody reports: " << work.name << ", "
                        << to_string(op) << " " << k;
        }
      }
    }
  }
  RecordProperty("runs", static_cast<int>(runs));
  RecordProperty("reported", static_cast<int>(reported));
  RecordProperty("harmless", static_cast<int>(harmless));
  EXPECT_GT(reported, runs / 2);
}

}  // namespace
