// SPDX-License-Identifier: MIT
#include "engine_suite.hpp"
#include "worlds.hpp"
#include <gtest/gtest.h>

#include <tuple>

namespace transport_test {
namespace {

class engine_on : public testing::TestWithParam<std::tuple<world, int>> {
 protected:
  void run(void (*what)(endpoint&, const deed::clock&)) {
    const auto [kind, ranks] = GetParam();
    for (std::uint64_t seed = 1; seed <= (kind == world::inproc ? 2 : 20); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      run_on(
          kind, ranks, [&](rank, endpoint& end, const deed::clock& time) { what(end, time); },
          seed);
    }
  }
};

TEST_P(engine_on, moves_transfers_of_all_sizes) { run(all_transfers_arrive_on_all_paths); }
TEST_P(engine_on, moves_transfers_with_the_default_options) {
  run([](endpoint& end, const deed::clock& time) { all_transfers_arrive(end, time, {}); });
}
TEST_P(engine_on, moves_transfers_with_checksums) {
  run([](endpoint& end, const deed::clock& time) {
    engine_options options = tiny();
    options.checksums = true;
    all_transfers_arrive(end, time, options);
  });
}
TEST_P(engine_on, keeps_the_order_of_one_tag) { run(one_tag_keeps_its_order); }
TEST_P(engine_on, packs_what_is_small) { run(small_ones_leave_together); }
TEST_P(engine_on, fails_both_ends_that_differ) { run(ends_that_differ_both_fail); }
TEST_P(engine_on, refuses_an_older_version) { run(an_older_version_is_refused); }
TEST_P(engine_on, carries_controls_in_order) { run(controls_arrive_in_order); }
TEST_P(engine_on, reduces) { run(reductions_agree); }
TEST_P(engine_on, compares_cards) { run(hello_names_the_odd_one); }
TEST_P(engine_on, proves_quiescence) { run(quiescence_is_proved); }
TEST_P(engine_on, lists_what_is_left_over) { run(left_over_is_listed); }

INSTANTIATE_TEST_SUITE_P(worlds, engine_on,
                         testing::Combine(testing::Values(world::inproc, world::sim_by_time,
                                                          world::sim_random),
                                          testing::Values(1, 2, 4)),
                         [](const auto& at) {
                           return name_of(std::get<0>(at.param)) + "_" +
                                  std::to_string(std::get<1>(at.param));
                         });

}  // namespace
}  // namespace transport_test
