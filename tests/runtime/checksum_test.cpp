// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>
#include <deed/transport/sim.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace {

using block = std::array<std::uint64_t, 500>;

constexpr deed::codelet take{"take", [](int& whole, const block& b) {
                               for (const std::uint64_t x : b) whole += x == 7 ? 1 : 0;
                             }};

enum class ending { right, wrong, refused };

/// Rank 1 reads a block of rank 0, of which a bit may have changed on its way.
ending run_with_damage(std::uint64_t frame, bool checksums, std::uint64_t seed) {
  deed::transport::sim_options how{.seed = seed};
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
    wrong += run_with_damage(frame, false, frame) == ending::wrong ? 1 : 0;
    const ending checked = run_with_damage(frame, true, frame);
    EXPECT_NE(checked, ending::wrong) << "frame " << frame;
    refused += checked == ending::refused ? 1 : 0;
  }
  EXPECT_GT(wrong, 0) << "no run damaged the block: the test shows nothing";
  EXPECT_GT(refused, 0);
}

/// F10: the frames that may carry the block, in many runs; in each another bit.
TEST(checksums, let_none_of_10000_flips_become_a_value) {
  std::vector<std::uint64_t> carriers;  // Without checksums a wrong value came out.
  for (std::uint64_t frame = 1; frame <= 40; ++frame) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      if (run_with_damage(frame, false, seed) != ending::wrong) continue;
      carriers.push_back(frame);
      break;
    }
  }
  ASSERT_FALSE(carriers.empty());
  int wrong = 0, refused = 0;
  std::uint64_t seed = 0;
  for (int flips = 0; flips < 10000; ++flips) {
    const ending found =
        run_with_damage(carriers[static_cast<std::size_t>(flips) % carriers.size()], true, ++seed);
    wrong += found == ending::wrong ? 1 : 0;
    refused += found == ending::refused ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0);
  RecordProperty("refused", refused);
  EXPECT_GT(refused, 9000) << "in some orders such a frame does not exist";
}

}  // namespace
