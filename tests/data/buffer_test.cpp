// SPDX-License-Identifier: MIT
#include <deed/data/buffer_pool.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

namespace {

using deed::data::buffer_pool;
using deed::data::packed_buffer;

TEST(packed_buffer, keeps_what_was_appended_while_it_grows) {
  packed_buffer buffer;
  for (int i = 0; i < 100'000; ++i) buffer.append(&i, sizeof i);
  ASSERT_EQ(buffer.size(), 100'000 * sizeof(int));
  int last = 0;
  std::memcpy(&last, buffer.data() + buffer.size() - sizeof last, sizeof last);
  EXPECT_EQ(last, 99'999);
  const std::size_t before = buffer.capacity();
  buffer.clear();
  EXPECT_EQ(buffer.capacity(), before);
  packed_buffer taken = std::move(buffer);
  EXPECT_EQ(taken.capacity(), before);
}

/// What the system knows of the memory at `address`: two letters for each flag. Empty: nothing.
std::string flags_of_memory(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2)
      inside = begin <= wanted && wanted < end;
    if (inside && line.starts_with("VmFlags:")) return line.substr(8) + " ";
  }
  return "";
}

TEST(packed_buffer, asks_for_huge_pages_when_it_is_large) {
  packed_buffer buffer;
  buffer.reserve(std::size_t{8} << 20);
  const std::byte* const middle = buffer.data() + (std::size_t{4} << 20);
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"))
    GTEST_SKIP() << "the kernel has none";
  EXPECT_NE(flags_of_memory(middle).find(" hg "), std::string::npos);
  buffer.append("here", 4);
  buffer.reserve(std::size_t{64} << 20);
  EXPECT_EQ(std::memcmp(buffer.data(), "here", 4), 0);
  const std::byte* const later = buffer.data() + (std::size_t{60} << 20);
  EXPECT_NE(flags_of_memory(later).find(" hg "), std::string::npos);
}

TEST(buffer_pool, hands_out_the_memory_that_was_given_back_last) {
  buffer_pool pool;
  packed_buffer buffer = pool.take();
  buffer.extend(1000);
  const std::byte* const memory = buffer.data();
  pool.give_back(std::move(buffer));
  EXPECT_GE(pool.idle_bytes(), 1000u);
  packed_buffer again = pool.take();
  EXPECT_EQ(again.data(), memory);
  EXPECT_TRUE(again.empty());
  EXPECT_EQ(pool.idle_bytes(), 0u);
}

TEST(buffer_pool, keeps_no_more_than_it_was_told) {
  buffer_pool pool(1000);
  packed_buffer large;
  large.reserve(2000);
  pool.give_back(std::move(large));
  EXPECT_EQ(pool.idle_bytes(), 0u);
}

}  // namespace
