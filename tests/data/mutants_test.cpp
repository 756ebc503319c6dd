// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/base/random.hpp>

#include "../support/counted_memory.hpp"
#include "messages.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

/// A million damaged messages: an exception each, or a value; never a crash, and never much memory.

namespace {

using deed::random_source;

/// Flips, overwrites, cuts, doubles and splices; counts get the values that break readers.
std::vector<std::byte> mutant(std::span<const std::byte> valid, std::span<const std::byte> other,
                              random_source& random) {
  std::vector<std::byte> bytes(valid.begin(), valid.end());
  const std::uint64_t edges[] = {0,
                                 1,
                                 0xff,
                                 0xffff,
                                 bytes.size(),
                                 bytes.size() + 1,
                                 1u << 31,
                                 std::uint64_t{1} << 32,
                                 std::uint64_t{1} << 60,
                                 std::uint64_t{1} << 61,
                                 std::numeric_limits<std::uint64_t>::max()};
  for (std::uint64_t changes = 1 + random.below(4); changes-- > 0 && !bytes.empty();) {
    const std::size_t at = random.below(bytes.size());
    switch (random.below(6)) {
      case 0:
        bytes[at] ^= static_cast<std::byte>(1u << random.below(8));
        break;
      case 1:
        bytes[at] = static_cast<std::byte>(random.below(256));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), 1 + random.below(16),
                     static_cast<std::byte>(random.below(256)));
        break;
      case 4:
        if (bytes.size() >= 8) {
          const std::uint64_t edge = edges[random.below(std::size(edges))];
          std::memcpy(&bytes[std::min(at, bytes.size() - 8)], &edge, 8);
        }
        break;
      default:
        if (!other.empty()) {
          const std::size_t from = random.below(other.size());
          bytes.resize(at);
          bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
        }
    }
  }
  return bytes;
}

TEST(archive, survives_mutants_of_valid_messages_of_twelve_kinds) {
  constexpr std::uint64_t mutants = 1'000'000;
  const auto valid = messages::valid_messages();
  for (std::size_t kind = 0; kind < messages::kind_count; ++kind) {
    ASSERT_NO_THROW(messages::read(kind, valid[kind].bytes())) << kind;
  }
  random_source random(20240607);
  std::uint64_t refused = 0;
  std::size_t most = 0;
  for (std::uint64_t i = 0; i < mutants; ++i) {
    const std::size_t kind = random.below(messages::kind_count);
    const auto bytes =
        mutant(valid[kind].bytes(), valid[random.below(messages::kind_count)].bytes(), random);
    const counted_memory memory;
    try {
      messages::read(kind, bytes);
    } catch (const deed::error& e) {
      ++refused;
      ASSERT_TRUE(e.code() == deed::error_code::message_damaged ||
                  e.code() == deed::error_code::cannot_travel)
          << e.what();
    }
    const std::size_t used = memory.most();
    ASSERT_LE(used, 2 * bytes.size() + (std::size_t{64} << 20)) << "kind " << kind;
    most = std::max(most, used);
  }
  EXPECT_GT(refused, mutants / 4) << "mutants that are all accepted test nothing";
  EXPECT_LT(refused, mutants);
  std::cout << mutants << " mutants, " << refused << " refused, at most " << most
            << " bytes of memory\n";
}

TEST(archive, asks_for_no_memory_that_the_input_does_not_pay_for) {
  // 16 MiB say that they are 2^18 elements of 1 KiB each; the tenth is damaged.
  deed::data::packed_buffer wire;
  const std::uint64_t count = std::uint64_t{1} << 18;
  wire.append(&count, sizeof count);
  std::byte* const elements = wire.extend(count * 64);
  std::memset(elements, 0, count * 64);
  elements[640] = std::byte{2};
  const counted_memory memory;
  std::vector<messages::wide> value;
  EXPECT_THROW(deed::data::unpack(value, wire.bytes()), deed::error);
  EXPECT_LE(memory.most(), 2 * wire.size() + (std::size_t{64} << 20));
}

}  // namespace
