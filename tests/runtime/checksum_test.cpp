// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>
#include <deed/transport/sim.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace {

using block = std::array<std::uint64_t, 500>;

constexpr deed::codelet take{"take", [](int& whole, const block& b) {
                               for (const std::uint64_t x : b) whole += x == 7 ? 1 : 0;
                             }};

enum class ending { right, wrong, refused };

/// Rank 1 reads a block of rank 0, of which a bit may have changed on its way.
ending run_with_damage(std::uint64_t frame, bool checksums) {
  deed::transport::sim_options how{.seed = frame};
  how.faults.damaged_frames.push_back(frame);
  deed::transport::sim_world world(2, how);
  std::atomic<ending> end{ending::right};
  try {
    world.run([&](deed::rank self, deed::transport::endpoint& door) {
      deed::session joined({.rank = self.value,
                            .size = 2,
                            .door = &door,
                            .time = &world.time(),
                            .simulated = true,
                            .pass = [&world, self] { world.pass(self); }},
                           {.checksums = checksums});
      block sevens;
      sevens.fill(7);
      auto from = joined.register_data(deed::owner{0}, sevens);
      auto whole = joined.register_data(deed::owner{1}, 0);
      joined.insert_task(take, deed::read_write(whole), deed::read(from));
      joined.wait();
      if (self.value == 1 && *joined.borrow(deed::read(whole)) != 500) end = ending::wrong;
      joined.close();
    });
  } catch (const deed::error&) {  // A header that changed is noticed without checksums, too.
    return ending::refused;
  }
  return end;
}

TEST(checksums, find_the_bit_that_changed_on_its_way) {
  int wrong = 0, refused = 0;
  for (std::uint64_t frame = 1; frame <= 40; ++frame) {
    wrong += run_with_damage(frame, false) == ending::wrong ? 1 : 0;
    const ending checked = run_with_damage(frame, true);
    EXPECT_NE(checked, ending::wrong) << "frame " << frame;
    refused += checked == ending::refused ? 1 : 0;
  }
  EXPECT_GT(wrong, 0) << "no run damaged the block: the test shows nothing";
  EXPECT_GT(refused, 0);
}

}  // namespace
