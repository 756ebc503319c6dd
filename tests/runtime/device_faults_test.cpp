// SPDX-License-Identifier: MIT
// What a device refuses, as a program hears of it.
#include <deed/deed.hpp>

#include "outcomes.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace {

using deed::gpu::error_kind;
using deed::gpu::operation;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr deed::codelet axpy{"axpy", [](std::span<double> y, std::span<const double> x, double a) {
                               for (std::size_t i = 0; i < y.size(); ++i) y[i] += a * x[i];
                             }};

/// One emulated device, which refuses every such call.
deed::session_options refusing(operation call, error_kind kind) {
  deed::session_options options;
  options.devices.emulated.devices = 1;
  options.devices.faults.rules.push_back(
      {.on = {call}, .every = 1, .make = {deed::gpu::fault::effect::fail, kind}});
  return options;
}

/// Twenty tasks: simulated ranks choose their workers at random, and some are the device.
void adds_twenty_times(deed::session& session, int& inserted) {
  std::vector<double> sums(1000), ones(1000, 1.0);
  auto y = session.register_data(deed::owner{0}, deed::in_place(sums), {.name = "y"});
  auto x = session.register_data(deed::owner{0}, deed::in_place(ones), {.name = "x"});
  inserted = __LINE__ + 2;
  for (int i = 0; i < 20; ++i)
    session.insert_task(axpy, deed::read_write(y), deed::read(x), deed::value(0.5));
  session.wait();
  // deed-check: allow(D309) reason: one rank runs this
  EXPECT_EQ((*session.borrow(deed::read(y)))[999], 10.0);
}

TEST(a_device_without_memory, leaves_its_tasks_to_the_processor) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    int inserted = 0;
    const auto ended = test::world{test::world::kind::simulated, seed}.run(
        1, [&](deed::session& session) { adds_twenty_times(session, inserted); },
        refusing(operation::allocate, error_kind::out_of_memory));
    EXPECT_EQ(ended[0].text, "");
  }
}

/// The host keeps room for what a full device has to move.
TEST(a_device_task_without_memory, for_its_scratch_is_told_of_with_the_task_and_its_device) {
  static constexpr deed::codelet fills{"fills",
                                       [](std::span<double> y, std::span<char>) { y[0] += 1; }};
  deed::session_options options;
  options.devices.emulated.devices = 1;
  bool on_device = false;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto ended = test::world{test::world::kind::simulated, seed}.run(
        1,
        [](deed::session& session) {
          std::vector<double> sums(1000);
          auto y = session.register_data(deed::owner{0}, deed::in_place(sums), {.name = "y"});
          session.insert_task(fills, deed::read_write(y),
                              deed::scratch<char>(std::size_t{1} << 61));
          session.wait();
        },
        options);
    EXPECT_EQ(ended[0].code, deed::error_code::host_memory_exhausted);
    EXPECT_THAT(ended[0].text, HasSubstr("deed[D008] no memory for the scratch of task `fills`"));
    EXPECT_THAT(ended[0].text, ContainsRegex("wanted +2305843009213693952 bytes"));
    EXPECT_THAT(ended[0].text, ContainsRegex("inserted +device_faults_test.cpp"));
    EXPECT_THAT(ended[0].text, ContainsRegex("writes +`y`"));
    on_device |= ended[0].text.find("`emulated 0`") != std::string::npos;
  }
  EXPECT_TRUE(on_device);
}

TEST(a_device_that_starts_no_kernel, is_told_of_with_the_task) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    int inserted = 0;
    const auto ended = test::world{test::world::kind::simulated, seed}.run(
        1, [&](deed::session& session) { adds_twenty_times(session, inserted); },
        refusing(operation::launch, error_kind::launch_failed));
    EXPECT_EQ(ended[0].code, deed::error_code::launch_failed);
    EXPECT_EQ(ended[0].text,
              "deed[D010] `emulated 0` refused a call: launch failed\n"
              "  call      launch\n"
              "  task      `axpy`\n"
              "  inserted  device_faults_test.cpp:" +
                  std::to_string(inserted) +
                  "\n"
                  "  data      `y`, `x`\n"
                  "  help: look at what the body asks for: threads of a block, shared memory, the "
                  "device that it was built for");
  }
}

}  // namespace
