// SPDX-License-Identifier: MIT
#include <deed/base/random.hpp>
#include <deed/transport/detail/header.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace {

using namespace deed::transport::detail;

std::vector<std::byte> frame_of(header h, std::size_t payload) {
  h.bytes = payload;
  seal(h);
  std::vector<std::byte> bytes(header_bytes + payload, std::byte{5});
  std::memcpy(bytes.data(), &h, header_bytes);
  return bytes;
}

header eager() {
  header h;
  h.kind = static_cast<std::uint8_t>(frame_kind::eager);
  h.tag = 77;
  return h;
}

TEST(header, comes_back_as_it_was) {
  const auto bytes = frame_of(eager(), 100);
  const decoded back = decode(bytes, 4);
  EXPECT_EQ(back.wrong, nullptr);
  EXPECT_EQ(back.head.tag, 77u);
  EXPECT_EQ(back.payload.size(), 100u);
}

TEST(header, is_refused_after_any_single_flipped_bit) {
  const auto bytes = frame_of(eager(), 8);
  for (std::size_t bit = 0; bit < 8 * header_bytes; ++bit) {
    auto bad = bytes;
    bad[bit / 8] ^= std::byte(1u << bit % 8);
    EXPECT_NE(decode(bad, 4).wrong, nullptr) << "bit " << bit;
  }
}

TEST(header, is_refused_when_sealed_with_impossible_fields) {
  header h = eager();
  h.origin = 4;
  EXPECT_NE(decode(frame_of(h, 8), 4).wrong, nullptr);
  h = eager();
  h.flags = 0x100;
  EXPECT_NE(decode(frame_of(h, 8), 4).wrong, nullptr);
  h = eager();
  h.kind = 99;
  EXPECT_NE(decode(frame_of(h, 8), 4).wrong, nullptr);
  h = eager();
  h.protocol = wire_protocol + 1;
  EXPECT_STREQ(decode(frame_of(h, 8), 4).wrong, "it speaks another protocol");
  h = eager();
  h.flags = flag_checksum;
  h.header_bytes = 72;
  EXPECT_NE(decode(frame_of(h, 4), 4).wrong, nullptr) << "shorter than its header";
}

TEST(header, is_refused_at_every_shorter_length) {
  const auto bytes = frame_of(eager(), 8);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_NE(decode(std::span(bytes).first(length), 4).wrong, nullptr);
  }
}

TEST(header, comes_apart_where_several_frames_are_one_message) {
  std::vector<std::byte> message;
  const std::vector<std::size_t> sizes{5, 0, 64, 13};
  for (const std::size_t size : sizes) {
    message.resize(next_frame(message.size()));
    const auto frame = frame_of(eager(), size);
    message.insert(message.end(), frame.begin(), frame.end());
  }
  std::span<const std::byte> left = message;
  for (const std::size_t size : sizes) {
    const decoded back = decode(left, 4);
    ASSERT_EQ(back.wrong, nullptr);
    EXPECT_EQ(back.payload.size(), size);
    left = back.rest;
  }
  EXPECT_TRUE(left.empty());
}

TEST(header, is_refused_with_a_few_bytes_behind_it) {
  for (std::size_t more = 1; more <= 8; ++more) {
    auto bytes = frame_of(eager(), 3);
    bytes.resize(bytes.size() + more);
    const decoded back = decode(bytes, 4);
    // From the sixth on they are behind the padding: the frame is whole, what follows it is none.
    if (more <= 5) {
      EXPECT_NE(back.wrong, nullptr) << more;
    } else {
      EXPECT_NE(decode(back.rest, 4).wrong, nullptr) << more;
    }
  }
}

TEST(header, survives_a_million_damaged_frames) {
  deed::random_source draw{3};
  auto bytes = frame_of(eager(), 40);
  std::size_t accepted = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    auto bad = bytes;
    for (std::uint64_t n = 1 + draw.below(4); n > 0; --n) {
      bad[draw.below(bad.size())] = static_cast<std::byte>(draw());
    }
    const decoded back = decode(std::span(bad).first(draw.below(bad.size() + 1)), 4);
    if (back.wrong == nullptr) {
      ++accepted;
      EXPECT_EQ(back.head.bytes, back.payload.size());
    }
  }
  EXPECT_LT(accepted, 60'000u);  // Whole frames with damage in the payload alone.
}

}  // namespace
