// SPDX-License-Identifier: MIT
#include "packet_supply.hpp"

#include "babeltrace.hpp"
#include "packet_layout.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace deed::trace::detail {
namespace {

// A writer asks for the next packet before it closes the one it is in. That the other thread
// prepares in between must not take the memory from under it.
TEST(packet_supply, leaves_the_last_packet_until_the_next_is_opened) {
  const scratch_folder folder;
  std::atomic<std::uint64_t> used{0};
  supply_settings settings;
  settings.folder = settings.live = folder.path();
  settings.packet_bytes = 64 << 10;
  settings.used_bytes = &used;
  packet_supply supply(settings, {"w00", events_id, 1, 0});
  std::byte* last = nullptr;
  for (int packet = 0; packet < 20; ++packet) {
    std::byte* const next = supply.take();
    ASSERT_NE(next, nullptr) << packet;
    supply.prepare();
    if (last != nullptr) last[settings.packet_bytes - 1] = std::byte{1};  // Closed.
    supply.opened();
    supply.prepare();
    last = next;
    if (packet != 0) continue;
    EXPECT_EQ(supply.written(), std::vector{folder.path() + "/w00.000"});
    EXPECT_EQ(supply.written(), std::vector{folder.path() + "/w00.000"}) << "it is still written";
  }
  const auto all = supply.written();
  EXPECT_GT(all.size(), 2u);
  EXPECT_EQ(all.front(), folder.path() + "/w00.000");
  EXPECT_EQ(supply.written(), std::vector{all.back()});
  supply.finish();
}

// The other thread may get no processor for as long as it likes.
TEST(packet_supply, gives_up_the_oldest_and_not_the_newest_when_nobody_prepares) {
  const auto taken_of_20 = [](std::size_t ring, std::uint64_t limit) {
    const scratch_folder folder;
    std::atomic<std::uint64_t> used{0};
    supply_settings settings;
    settings.folder = settings.live = folder.path();
    settings.packet_bytes = 64 << 10;
    settings.ring_bytes = ring;
    settings.limit_bytes = limit;
    settings.used_bytes = &used;
    packet_supply supply(settings, {"w00", events_id, 1, 0});
    int taken = 0;
    for (int packet = 0; packet < 20 && supply.take() != nullptr; ++packet, ++taken)
      supply.opened();
    supply.finish();
    return taken;
  };
  EXPECT_EQ(taken_of_20(256 << 10, 0), 20) << "a ring";
  EXPECT_EQ(taken_of_20(0, 256 << 10), 20) << "a limit";
  EXPECT_EQ(taken_of_20(0, 0), 2) << "what keeps everything does not wait";
}

}  // namespace
}  // namespace deed::trace::detail
