// SPDX-License-Identifier: MIT
#include "../support/explorer.hpp"
#include <gtest/gtest.h>

#define std explored
#include "hand_over.hpp"
#undef std

/// @file
/// How a stream gets its packets, in all orders of the two threads.

namespace {

using deed::trace::detail::hand_over;
using explored::exploration;
using explored::schedule;

/// The writer goes through segments as `packet_supply` does: it takes the next one before it has
/// closed the last packet of the one before.
TEST(hand_over_interleavings, nothing_ends_in_use_and_all_come_in_order) {
  struct segment {
    std::uint32_t number;
    bool ended = false;
  };
  struct meeting_place {
    hand_over<segment> between;
    std::deque<segment> made;
    std::uint32_t next_to_end = 0;
    std::vector<std::uint32_t> taken;
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    in.thread([=, &in] {
      const auto touch = [&](const segment* one) {
        in.expect(one == nullptr || !one->ended, "a segment ended in use");
      };
      segment* current = nullptr;
      for (int tries = 0; tries < 4; ++tries) {
        segment* const next = here->between.take();
        touch(current);
        if (next == nullptr) continue;  // Its events are counted as discarded.
        here->taken.push_back(next->number);
        touch(next);
        touch(current);  // The packet before is closed only now.
        here->between.uses(next->number);
        current = next;
      }
    });
    in.thread([=] {
      for (int times = 0; times < 4; ++times) {
        for (const std::uint32_t used = here->between.used(); here->next_to_end < used;)
          here->made[here->next_to_end++].ended = true;
        if (!here->between.wants_one()) continue;
        here->made.push_back({static_cast<std::uint32_t>(here->made.size())});
        here->between.offer(here->made.back());
      }
    });
    in.at_end([=, &in] {
      for (std::uint32_t i = 0; i < here->taken.size(); ++i)
        in.expect(here->taken[i] == i, "a segment was left out, or came twice");
    });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 100u);
}

}  // namespace
