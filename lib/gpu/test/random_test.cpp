// SPDX-License-Identifier: MIT
// Random programs on small devices, against the same program run in sequence.
#include <deed/base/random.hpp>
#include <deed/gpu/driver.hpp>

#include "machine.hpp"
#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

using namespace deed::gpu;
using namespace deed::gpu::test;

class random_program : public testing::TestWithParam<int> {};

TEST_P(random_program, gives_what_the_sequence_gives) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const program plan =
        random_plan(seed * 4 + static_cast<std::uint64_t>(GetParam()), GetParam(), 60);
    device_options options = emulated(GetParam(), plan.memory_bytes, seed);
    options.emulated.peers = seed % 3 == 0;
    const outcome seen = run(plan, std::move(options));
    EXPECT_EQ(seen.problem, "") << "seed " << seed;
    EXPECT_THAT(seen.errors, testing::IsEmpty()) << "seed " << seed << ": " << seen.errors.front();
    EXPECT_THAT(seen.unordered, testing::IsEmpty()) << "seed " << seed;
    EXPECT_EQ(seen.values, sequential(plan)) << "seed " << seed;
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(devices, random_program, testing::Values(1, 2, 3, 4));

}  // namespace
