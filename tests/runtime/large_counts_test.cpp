// SPDX-License-Identifier: MIT
// More elements than 31 or 32 bits count, of one byte each, in memory that repeats itself: row R92.
#include <deed/deed.hpp>

#include "../support/repeated_memory.hpp"
#include "../support/virtual_ranks.hpp"
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace {

constexpr std::size_t many = (std::size_t{1} << 31) + 12'345;
using bytes = std::span<std::uint8_t>;

void moves_many(deed::session& session) {
  const test::repeated_memory memory(many);
  if (session.rank() == 0) memory.fill();
  const bytes all = memory.elements();
  auto mine = session.register_data(deed::per_rank, deed::in_place(all), {.name = "mine"});
  EXPECT_EQ(mine.bytes(), many);
  if (session.rank() == 0) {
    session.send(deed::read(mine), deed::to{1}, deed::message_tag{1});
  } else if (session.rank() == 1) {
    const auto came =
        session.ireceive(deed::write(mine), deed::from{0}, deed::message_tag{1}).wait();
    EXPECT_EQ(came.bytes, many);
  }
  session.wait();
  EXPECT_TRUE(memory.is_filled());
  if (session.rank() == 0) {
    EXPECT_EQ(session.statistics().sent_to[1].payload_bytes, many);
  }
}

TEST(large_counts, a_message_has_more_elements_than_an_int_counts) {
  if (std::getenv("LARGE") == nullptr) GTEST_SKIP() << "takes long; LARGE=1 runs it";
  test::on_virtual_ranks(2, moves_many);
  test::on_threads(2, moves_many);
}

/// Parts of a few elements, behind five milliards of others.
void places_far_away(deed::session& session) {
  constexpr std::size_t far = 5'000'000'000, length = 1000;
  const test::repeated_memory memory(far + 2 * length);
  const bytes whole = memory.elements();
  std::vector<std::uint8_t> own(length), back(length);
  for (std::size_t i = 0; i < length; ++i)
    own[i] = static_cast<std::uint8_t>(i + 100 * static_cast<std::size_t>(session.rank()));
  auto mine = session.register_data(deed::per_rank, deed::in_place(own), {.name = "mine"});
  auto again = session.register_data(deed::per_rank, deed::in_place(back), {.name = "again"});
  auto all = session.register_data(deed::owner{0}, deed::in_place(whole), {.name = "all"});
  const deed::placed there{.counts = {length, length}, .displacements = {far + length, far}};
  session.gather(deed::read(mine), deed::write(all), deed::to{0}, there);
  if (session.owns(all)) {
    const auto seen = session.borrow(deed::read(all));
    EXPECT_EQ((*seen)[far + 1], 101);
    EXPECT_EQ((*seen)[far + length + 1], 1);
  }
  session.scatter(deed::read(all), deed::write(again), deed::from{0}, there);
  session.wait();
  EXPECT_EQ(back, own);
}

TEST(large_counts, parts_of_a_whole_lie_further_than_32_bits_reach) {
  test::on_virtual_ranks(2, places_far_away);
  test::on_threads(2, places_far_away);
}

}  // namespace
