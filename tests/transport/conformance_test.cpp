// SPDX-License-Identifier: MIT
#include "conformance.hpp"

#include "worlds.hpp"
#include <gtest/gtest.h>

#include <tuple>

namespace transport_test {
namespace {

class endpoint_of : public testing::TestWithParam<std::tuple<world, int>> {
 protected:
  void run(void (*what)(endpoint&)) {
    const auto [kind, ranks] = GetParam();
    for (std::uint64_t seed = 1; seed <= (kind == world::inproc ? 1 : 5); ++seed) {
      run_on(kind, ranks, [&](rank, endpoint& end, const deed::clock&) { what(end); }, seed);
    }
  }
};

TEST_P(endpoint_of, delivers_every_frame_once_and_whole) { run(all_frames_arrive); }
TEST_P(endpoint_of, moves_bulk_in_the_order_of_its_tag) { run(bulk_arrives_in_order); }
TEST_P(endpoint_of, moves_strided_blocks) { run(strided_blocks_travel); }

INSTANTIATE_TEST_SUITE_P(worlds, endpoint_of,
                         testing::Combine(testing::Values(world::inproc, world::sim_by_time,
                                                          world::sim_random),
                                          testing::Values(1, 2, 4)),
                         [](const auto& at) {
                           return name_of(std::get<0>(at.param)) + "_" +
                                  std::to_string(std::get<1>(at.param));
                         });

}  // namespace
}  // namespace transport_test
