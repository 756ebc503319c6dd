// SPDX-License-Identifier: MIT
#include "../support/explorer.hpp"
#include "asymmetric_barrier.cpp"
#include <gtest/gtest.h>

#define std explored
#include "parking.hpp"
#undef std

/// @file
/// Sleep and wake of workers, in all orders of a few of them. The barrier does nothing here: what
/// is explored is sequentially consistent.

namespace {

using deed::runtime::asymmetric_barrier;
using deed::runtime::parking;
using explored::exploration;
using explored::schedule;

/// Each piece of work is offered as `worker_team::call_for_help` does.
void explore_parking(int workers) {
  struct meeting_place {
    asymmetric_barrier barrier;
    parking beds{barrier};
    explored::atomic<int> offered{0}, left{2};
  };
  const exploration all([=](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    for (int i = 0; i < workers; ++i) {
      in.thread([=] {
        const auto useful = [&] { return here->offered.load() > 0 || here->left.load() == 0; };
        while (here->left.load() > 0) {
          int there = here->offered.load();
          if (there == 0) {
            here->beds.sleep(useful, std::chrono::nanoseconds::max());
          } else if (here->offered.compare_exchange_strong(there, there - 1)) {
            if (here->left.fetch_sub(1) == 1) here->beds.wake_all();
          }
        }
      });
    }
    in.thread([=] {
      for (int i = 0; i < 2; ++i) {
        here->offered.fetch_add(1);
        here->barrier.light();
        here->beds.wake_one();
      }
    });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 100u);
}

TEST(parking_interleavings, nobody_sleeps_beside_work) { explore_parking(2); }
TEST(parking_interleavings, also_not_alone) { explore_parking(1); }

}  // namespace
